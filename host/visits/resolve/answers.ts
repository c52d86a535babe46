import { createHmac, hash } from 'node:crypto';
import { isRedirected } from '#contract/contents/contents';
import { decide, systemOf } from '#contract/routing-decision';
import type { Rule } from '#contract/routing-rules';
import { DAY_MS } from '#contract/time';
import { HOSTED } from '#host/codes/contents/hosted-types';
import type { CachedCode } from './packed-code';

/** What a visit tells of itself; a robot's, a preview's and the owner's are led like a person's. */
export interface Visitor {
  /** Milliseconds since the epoch. */
  at: number;
  os: string;
  language: string;
  country: string;
  clientIp: string;
  userAgent: string;
}

/** What a visit of a code that may be shown gets. */
interface Answer {
  outcome: 'served' | 'paused' | 'ended' | 'blocked';
  /** Where it is redirected to; null for a page. */
  link: string | null;
  /** For `paused` and `ended`. */
  message: string;
  /** What it is counted by; undefined for codes without a routing. */
  route: number | undefined;
}

/** `visitorOf` is called only for a code with a routing: most codes have none. */
type AnswerOf = (code: CachedCode, os: string, visitorOf: () => Visitor) => Answer;

/**
 * Answers visits by the routing of their codes. In a split, a person gets the same variant for a UTC day on every host:
 * a keyed hash of address and browser decides, with a key derived for this purpose alone, and is kept nowhere.
 */
export function createAnswers(secrets: string[]): AnswerOf {
  const [secret = ''] = secrets;
  const key = createHmac('sha256', secret).update('variant of a split').digest('hex');

  /** From 0 to 1, evenly. */
  function shareOf({ id }: CachedCode, rule: Rule, { at, clientIp, userAgent }: Visitor): number {
    const person = `${Math.floor(at / DAY_MS)}\n${id}\n${rule.id}\n${clientIp}\n${userAgent}`;
    // An HMAC takes four times as long, and only guards digests that are passed on in full.
    return Number.parseInt(hash('sha256', `${key}\n${person}`).slice(0, 8), 16) / 2 ** 32;
  }

  return (code, os, visitorOf) => {
    const { routing } = code;
    if (!routing) return served(destinationOf(code, os));
    const visitor = visitorOf();
    const asked = { ...visitor, system: systemOf(visitor.os) };
    const decision = decide(routing, asked, (rule) => shareOf(code, rule, visitor));
    if (decision.kind !== 'target') return closed(decision.kind, decision.message);
    const { route } = decision;
    const link = decision.target ?? destinationOf(code, os);
    const isBlocked = link !== null && code.blockedLinks.includes(link);
    return isBlocked ? closed('blocked') : served(link, route);
  };
}

/** Where a code leads without its routing; null for a page. */
function destinationOf(code: CachedCode, os: string): string | null {
  return isRedirected(code.type) ? code.content : (HOSTED[code.type].redirect?.(code, os) ?? null);
}

function served(link: string | null, route?: number): Answer {
  return { outcome: 'served', link, message: '', route };
}

function closed(outcome: Answer['outcome'], message = ''): Answer {
  return { outcome, link: null, message, route: undefined };
}
