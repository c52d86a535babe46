import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import { DAY_MS } from '#contract/time';
import { parseUrl } from '#contract/urls';
import type { Clock } from '#host/http/deps';
import { addressProblem, PublicRequestError, type PublicResponse } from '#host/http/public-request';

/** Characters of all that are kept. */
const KEPT = 4 * 1024 * 1024;
/** Bounds of what is matched, as patterns with several wildcards can take seconds on the thread that answers visits. */
const RULES = 500;
const RULE_LENGTH = 500;
const PATH_LENGTH = 1_000;
/** Redirects of a robots.txt that are followed (RFC 9309, section 2.3.1.2). */
const REDIRECTS = 5;

type Get = (address: string, signal: AbortSignal) => Promise<PublicResponse>;

interface Rules {
  text: string;
  readAt: number;
}

/** The robots.txt of hosts (RFC 9309), each read once a day by this node. One that cannot be read forbids nothing. */
export class Robots {
  private readonly rules = new LRUCache<string, Rules>({
    maxSize: KEPT,
    sizeCalculation: ({ text }, place) => place.length + text.length,
  });

  constructor(
    private readonly agent: string,
    private readonly clock: Clock,
    private readonly get: Get,
  ) {}

  async mayAsk(address: string, signal: AbortSignal): Promise<boolean> {
    const place = new URL('/robots.txt', address).href;
    const now = this.clock.now().getTime();
    const kept = this.rules.get(place);
    if (kept && now - kept.readAt < DAY_MS) return this.isAllowed(address, place, kept.text);
    const text = await this.read(place, signal);
    if (text === null) return true;
    this.rules.set(place, { text, readAt: now });
    return this.isAllowed(address, place, text);
  }

  private isAllowed(address: string, place: string, text: string): boolean {
    const { origin, pathname, search } = new URL(address);
    const asked = origin + (pathname + search).slice(0, PATH_LENGTH);
    return robotsParser(place, text).isAllowed(asked, this.agent) ?? true;
  }

  /** Null if nothing answered. */
  private async read(place: string, signal: AbortSignal): Promise<string | null> {
    let address = place;
    try {
      for (let hop = 0; hop <= REDIRECTS; hop += 1) {
        const { status, headers, body } = await this.get(address, signal);
        if (status >= 200 && status < 300) return boundedRules(body.toString());
        const { location } = headers;
        const next = status >= 300 && status < 400 && location ? parseUrl(location, address) : null;
        if (!next) return '';
        address = next.href;
        if (addressProblem(address)) return '';
      }
    } catch (thrown) {
      if (!(thrown instanceof PublicRequestError)) throw thrown;
      return null;
    }
    return '';
  }
}

/**
 * The rules that are matched. One with several wildcards ends before the second, so that it forbids more rather than
 * less; one that permits is then left out.
 */
function boundedRules(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .flatMap((line) => {
      const [, field = '', , path = ''] = /^\s*((dis)?allow)\s*:\s*([^#]*)/i.exec(line) ?? [];
      if (!field) return /^\s*user-agent\s*:/i.test(line) ? line.slice(0, RULE_LENGTH) : [];
      const second = path.indexOf('*', path.indexOf('*') + 1);
      const isWhole = second < 0 || !path.includes('*');
      if (isWhole && path.length <= RULE_LENGTH) return line;
      if (field.toLowerCase() === 'allow') return [];
      return `${field}: ${path.slice(0, Math.min(isWhole ? path.length : second, RULE_LENGTH))}`;
    })
    .slice(0, RULES)
    .join('\n');
}
