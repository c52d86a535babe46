import { setTimeout as delay } from 'node:timers/promises';
import { getDomain } from 'tldts';
import type { DESTINATION_PROBLEMS } from '#contract/destination-problems';
import { hostnameOf } from '#contract/own-addresses';
import { createOwnCodeFinder } from '#contract/own-codes';
import { parseUrl } from '#contract/urls';
import { targetOf } from '#contract/web-addresses';
import { codeUrls } from '#host/codes/contents/contents';
import type { Deps } from '#host/http/deps';
import { type Pace, takeTurn } from '#host/http/pacing';
import {
  addressProblem,
  type PublicRequest,
  PublicRequestError,
  type PublicResponse,
} from '#host/http/public-request';
import { Robots } from './robots';

/** `unasked`: its owner or our rules forbid it; `unsure`: our own network may be at fault. */
export type Outcome =
  | { kind: 'answers' | 'unasked' | 'unsure' }
  | {
      kind: 'fails';
      problem: (typeof DESTINATION_PROBLEMS)[number];
      status?: number;
      movedTo?: string;
    };

/** Of every node together. */
const PER_HOST: Pace = { name: 'destination', burst: 1, spacingSeconds: 1 };
const REDIRECTS = 5;
const LASTING = [301, 308];
const REDIRECTING = [301, 302, 303, 307, 308];

const ANSWERS: Outcome = { kind: 'answers' };
const UNASKED: Outcome = { kind: 'unasked' };

/** Waits; rejects when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** Asks destinations as people would reach them, by their own rules: one request a second to a host. */
export class Asker {
  private readonly agent: string;
  private readonly isOwnCode: (link: string) => boolean;
  private readonly robots: Robots;

  constructor(
    private readonly deps: Pick<Deps, 'db' | 'clock' | 'requestPublic' | 'settings'>,
    private readonly wait: Wait = (ms, signal) => delay(ms, undefined, { signal }),
  ) {
    const { appName, publicUrl } = deps.settings;
    const product = `${appName.replace(/[^\w!#$%&'*+.^`|~-]/g, '')}Check`;
    this.agent = `${product}/1.0 (+${publicUrl}/faq#destination-check)`;
    const findOwnCode = createOwnCodeFinder(codeUrls(deps.settings));
    this.isOwnCode = (link) => findOwnCode(link) !== null;
    this.robots = new Robots(product, deps.clock, (address, signal) => this.send(address, {}, signal));
  }

  async ask(destination: string, signal: AbortSignal): Promise<Outcome> {
    let address = targetOf(destination);
    try {
      for (let hop = 0; hop <= REDIRECTS; hop += 1) {
        if (addressProblem(address)) return UNASKED;
        // A visit of one of our own codes would be counted.
        if (this.isOwnCode(address)) return ANSWERS;
        if (!(await this.robots.mayAsk(address, signal))) return UNASKED;
        const response = await this.look(address, signal);
        const next = nextOf(response, address);
        if (next === null) return judge(response.status);
        if (LASTING.includes(response.status) && hasMoved(address, next))
          return { kind: 'fails', problem: 'moved', movedTo: next.slice(0, 2_000) };
        address = next;
      }
      return { kind: 'fails', problem: 'redirects' };
    } catch (thrown) {
      if (!(thrown instanceof PublicRequestError)) throw thrown;
      const { failure } = thrown;
      if (failure === 'refused') return UNASKED;
      return failure === 'unsure' ? { kind: failure } : { kind: 'fails', problem: failure };
    }
  }

  private async look(address: string, signal: AbortSignal): Promise<PublicResponse> {
    const response = await this.send(address, { method: 'HEAD' }, signal);
    // Some servers do not expect `HEAD`, and refuse it in many ways. One that asks for a pause is not asked again.
    const saysNothing = response.status >= 400 && response.status !== 429;
    return saysNothing ? this.send(address, {}, signal) : response;
  }

  private async send(address: string, request: PublicRequest, signal: AbortSignal): Promise<PublicResponse> {
    const { db, clock, requestPublic } = this.deps;
    const now = clock.now();
    const turn = await takeTurn(db.orm, PER_HOST, hostnameOf(new URL(address)), now);
    if (turn > now) await this.wait(turn.getTime() - now.getTime(), signal);
    const headers = { 'User-Agent': this.agent, Accept: '*/*' };
    return requestPublic(address, { ...request, headers, signal });
  }
}

/** Where a response leads; null if it leads nowhere. */
function nextOf({ status, headers: { location } }: PublicResponse, address: string): string | null {
  const next = REDIRECTING.includes(status) && location ? parseUrl(location, address) : null;
  return next?.href ?? null;
}

function judge(status: number): Outcome {
  const isFailure = status === 404 || status === 410 || status >= 500;
  return isFailure ? { kind: 'fails', problem: 'status', status } : ANSWERS;
}

/**
 * Whether a page is now on another site: there under the same path, or replaced by its home page. Shorteners lead
 * elsewhere.
 */
function hasMoved(from: string, to: string): boolean {
  const [before, after] = [new URL(from), new URL(to)];
  const isSamePage = after.pathname === before.pathname || after.pathname === '/';
  return isSamePage && isOtherSite(from, to);
}

/** Whether two addresses are of different registrable domains; subdomains of a shared host are different ones. */
function isOtherSite(from: string, to: string): boolean {
  const siteOf = (address: string) =>
    getDomain(address, { allowPrivateDomains: true }) ?? hostnameOf(new URL(address));
  return siteOf(from) !== siteOf(to);
}
