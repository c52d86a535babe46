import { firstCharacters } from '#contract/storable';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time';
import type { Deps } from '#host/http/deps';
import { PublicRequestError, type PublicResponse } from '#host/http/public-request';

/** How an attempt went. */
export interface Attempt {
  /** Status of the response; null if there was none. */
  response: number | null;
  problem: string | null;
  ms: number;
  excerpt: string;
  /** When the program wants to be asked again, if it said so. */
  retryAt: Date | null;
}

const TIMEOUT_MS = 15_000;
const EXCERPT_LENGTH = 300;
const LATEST_RETRY_MS = DAY_MS;

/** Waits after each failed attempt; the last one has none. */
const WAITS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** By how much a wait may be longer, so that what failed together does not come back together. */
const JITTER = 0.1;

interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Sends a message once and never rejects, except when the host stops. */
export async function attempt(
  { requestPublic, clock }: Pick<Deps, 'requestPublic' | 'clock'>,
  { url, ...message }: Message,
  stopping?: AbortSignal,
): Promise<Attempt> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await requestPublic(url, {
      ...message,
      method: 'POST',
      timeoutMs: TIMEOUT_MS,
      signal: stopping,
    });
    return {
      response: response.status,
      problem: null,
      ms: elapsed(),
      excerpt: excerptOf(response),
      retryAt: readRetryAfter(response.headers['retry-after'], clock.now(), LATEST_RETRY_MS),
    };
  } catch (thrown) {
    stopping?.throwIfAborted();
    if (!(thrown instanceof PublicRequestError)) throw thrown;
    return { response: null, problem: thrown.failure, ms: elapsed(), excerpt: '', retryAt: null };
  }
}

export function isAccepted({ response }: Attempt): boolean {
  return response !== null && response >= 200 && response < 300;
}

/** When a message is tried again that has failed this often; null if it is not. */
export function nextAttempt(
  failures: number,
  { retryAt }: Attempt,
  { now, random }: { now: Date; random: Deps['random'] },
): Date | null {
  const wait = WAITS_MS[failures - 1];
  if (wait === undefined) return null;
  const share = Buffer.from(random(2)).readUInt16BE() / 2 ** 16;
  const own = now.getTime() + wait * (1 + JITTER * share);
  return new Date(Math.max(own, retryAt?.getTime() ?? 0));
}

/** Printable, as PostgreSQL and pages need it. */
function excerptOf({ body }: PublicResponse): string {
  const text = body
    .toString('utf8')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return firstCharacters(text, EXCERPT_LENGTH);
}

/** The moment of a `Retry-After` header (RFC 9110, section 10.2.3), at most `longestMs` from now; null without a valid one. */
function readRetryAfter(header: string | undefined, now: Date, longestMs: number): Date | null {
  if (header === undefined) return null;
  const text = header.trim();
  const at = /^\d{1,9}$/.test(text) ? now.getTime() + Number(text) * 1_000 : Date.parse(text);
  if (Number.isNaN(at) || at <= now.getTime()) return null;
  return new Date(Math.min(at, now.getTime() + longestMs));
}
