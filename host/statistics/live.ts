import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { VISITS_CHANNEL } from '#host/visits/notifier';
import { createLiveOwners } from './live-owners';
import { type LiveStream, openLiveStream } from './live-stream';

interface Listener {
  accountId: string;
  /** Null for all codes of the account. */
  codeId: string | null;
  isAllowed(): Promise<boolean>;
}

export interface LiveFigures {
  /** Throws `rate_limited` when the account has five streams, `unavailable` when this node has 500 or stops. */
  open(listener: Listener): ReadableStream<Uint8Array>;
  /** Ends all streams, and opens no more. */
  close(): void;
}

const STREAMS_OF_ACCOUNT = 5;
const STREAMS = 500;
const RETRY_SECONDS = 30;
const HEARTBEAT_MS = 20_000;

/**
 * Tells open pages that their figures changed. A node hears of the visits that any node wrote over one connection, and
 * knows its listeners alone.
 */
export function createLiveFigures(
  { db, log, clock }: Pick<Deps, 'db' | 'log' | 'clock'>,
  heartbeatMs = HEARTBEAT_MS,
): LiveFigures {
  const listeners = new Map<LiveStream, Listener>();
  const owners = createLiveOwners(db);
  let isComparing = false;
  let isCompareOwed = false;
  let isClosed = false;

  db.listen(VISITS_CHANNEL, hear, () => tell(() => true)).catch((error: unknown) =>
    log.error({ err: error }, 'visits are not heard; open pages show them when they are loaded again'),
  );

  function hear(payload: string): void {
    if (listeners.size === 0) return;
    const heard = payload === '*' ? compare() : tellOwners(payload.split(','));
    heard.catch((error: unknown) => {
      log.warn({ err: error }, 'nobody knows whose figures changed: all are told');
      tell(() => true);
    });
  }

  async function tellOwners(codeIds: string[]): Promise<void> {
    const [accounts, codes] = [await owners.ofCodes(codeIds), new Set(codeIds)];
    tell(({ accountId, codeId }) => (codeId === null ? accounts.has(accountId) : codes.has(codeId)));
  }

  /** One at a time: what is heard meanwhile is compared afterwards. */
  async function compare(): Promise<void> {
    isCompareOwed = true;
    if (isComparing) return;
    isComparing = true;
    try {
      while (isCompareOwed) {
        isCompareOwed = false;
        const ids = new Set([...listeners.values()].map(({ accountId }) => accountId));
        const changed = await owners.withNewFigures([...ids]);
        tell(({ accountId }) => changed.has(accountId));
      }
    } finally {
      isComparing = false;
    }
  }

  function tell(concerns: (listener: Listener) => boolean): void {
    for (const [stream, listener] of listeners) if (concerns(listener)) stream.tell();
  }

  function open(listener: Listener): ReadableStream<Uint8Array> {
    if (isClosed || listeners.size >= STREAMS) {
      throw new ApiError('unavailable', { retryAfterSeconds: RETRY_SECONDS });
    }
    const own = [...listeners.values()].filter(({ accountId }) => accountId === listener.accountId);
    if (own.length >= STREAMS_OF_ACCOUNT) {
      throw new ApiError('rate_limited', { retryAfterSeconds: RETRY_SECONDS });
    }
    const stream = openLiveStream({
      heartbeatMs,
      now: () => clock.now(),
      isAllowed: listener.isAllowed,
      onEnd: () => listeners.delete(stream),
    });
    listeners.set(stream, listener);
    return stream.body;
  }

  function close(): void {
    isClosed = true;
    for (const stream of [...listeners.keys()]) stream.end();
  }

  return { open, close };
}
