import type { Database } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { createGrowingCache } from '#host/http/growing-cache';
import { VISITS_CHANNEL } from '#host/visits/count/notifier';
import { type LiveStream, openLiveStream } from './live-stream';

interface Listener {
  accountId: string;
  /** Null for all codes of the account. */
  codeId: string | null;
  isAllowed(): Promise<boolean>;
}

export interface LiveFigures {
  /** Throws `rate_limited` if the account has five streams, `unavailable` if this node has 500 or is stopping. */
  open(listener: Listener): ReadableStream<Uint8Array>;
  /** Ends all streams, and refuses new ones. */
  close(): void;
}

const MAX_ACCOUNT_STREAMS = 5;
const MAX_STREAMS = 500;
const RETRY_SECONDS = 30;
const HEARTBEAT_MS = 20_000;

/**
 * Notifies open pages that their figures changed. A node is notified of visits on any node over one connection, and
 * knows only its own listeners.
 */
export function createLiveFigures(
  { db, log, clock }: Pick<Deps, 'db' | 'log' | 'clock'>,
  heartbeatMs = HEARTBEAT_MS,
): LiveFigures {
  const listeners = new Map<LiveStream, Listener>();
  const owners = createLiveOwners(db);
  let isCheckRunning = false;
  let isCheckDue = false;
  let isClosed = false;

  db.listen(VISITS_CHANNEL, receive, () => notify(() => true)).catch((error: unknown) =>
    log.error(
      { err: error },
      'visit notifications are not received; open pages show visits when they are loaded again',
    ),
  );

  function receive(payload: string): void {
    if (listeners.size === 0) return;
    const notified = payload === '*' ? notifyChangedAccounts() : notifyOwners(payload.split(','));
    notified.catch((error: unknown) => {
      log.warn({ err: error }, 'could not find out whose figures changed: notifying all pages');
      notify(() => true);
    });
  }

  async function notifyOwners(codeIds: string[]): Promise<void> {
    const [accounts, codes] = [await owners.ofCodes(codeIds), new Set(codeIds)];
    notify(({ accountId, codeId }) => (codeId === null ? accounts.has(accountId) : codes.has(codeId)));
  }

  /** One at a time: notifications received meanwhile are handled afterwards. */
  async function notifyChangedAccounts(): Promise<void> {
    isCheckDue = true;
    if (isCheckRunning) return;
    isCheckRunning = true;
    try {
      while (isCheckDue) {
        isCheckDue = false;
        const ids = new Set([...listeners.values()].map(({ accountId }) => accountId));
        const changed = await owners.withNewFigures([...ids]);
        notify(({ accountId }) => changed.has(accountId));
      }
    } finally {
      isCheckRunning = false;
    }
  }

  function notify(matches: (listener: Listener) => boolean): void {
    for (const [stream, listener] of listeners) if (matches(listener)) stream.notify();
  }

  function open(listener: Listener): ReadableStream<Uint8Array> {
    if (isClosed || listeners.size >= MAX_STREAMS) {
      throw new ApiError('unavailable', { retryAfterSeconds: RETRY_SECONDS });
    }
    const accountListeners = [...listeners.values()].filter(
      ({ accountId }) => accountId === listener.accountId,
    );
    if (accountListeners.length >= MAX_ACCOUNT_STREAMS) {
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

interface LiveOwners {
  /** The accounts that these codes belong to. */
  ofCodes(codeIds: string[]): Promise<Set<string>>;
  /** The accounts whose figures changed since they were last checked, and those never checked before. */
  withNewFigures(accountIds: string[]): Promise<Set<string>>;
}

const OWNERS_QUERY = 'select id, account_id from codes where id = any ($1::uuid[])';
/** A value that changes with every visit and engagement, and also when a past day is folded. */
const FIGURES_QUERY = `select account_id, (
    select coalesce(sum(scans + clicks + bots + previews + owner), 0)::bigint from account_hours h
    where h.account_id = asked.account_id
  ) + (
    select coalesce(sum(engagements), 0)::bigint from (
      select engagements from account_days d where d.account_id = asked.account_id order by day desc limit 2
    ) as latest
  ) as figures from unnest($1::uuid[]) as asked (account_id)`;

/** Finds whose figures changed, without a query for cached codes. */
export function createLiveOwners({ query }: Pick<Database, 'query'>): LiveOwners {
  const accounts = createGrowingCache<string, string>(50_000);
  const figures = createGrowingCache<string, number>(5_000);

  return {
    async ofCodes(codeIds) {
      const unknown = codeIds.filter((id) => !accounts.has(id));
      if (unknown.length > 0) {
        const rows = await query<{ id: string; account_id: string }>({
          name: 'live_owners',
          text: OWNERS_QUERY,
          values: [unknown],
        });
        for (const { id, account_id } of rows) accounts.set(id, account_id);
      }
      return new Set(codeIds.flatMap((id) => accounts.get(id) ?? []));
    },
    async withNewFigures(accountIds) {
      const rows = await query<{ account_id: string; figures: number }>({
        name: 'live_figures',
        text: FIGURES_QUERY,
        values: [accountIds],
      });
      const changed = rows.filter((row) => figures.get(row.account_id) !== row.figures);
      for (const row of changed) figures.set(row.account_id, row.figures);
      return new Set(changed.map((row) => row.account_id));
    },
  };
}
