import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import type { VisitCounter } from './count';
import { type Batch, insertBatch } from './journal';
import type { Spool } from './spool';
import type { Parcel } from './spool-reader';

/** Empties the spool into the journal, and knows whether the database takes visits. */
interface Sender {
  /** There is something in the spool. */
  send(): void;
  /** The database refused visits, or did not answer: until it takes some again there is no use in trying others. */
  failed(error: unknown): void;
  isAway(): boolean;
  isSending(): boolean;
  /** How many visits it has seen in the spool, and for how long that has not been empty. */
  behind(): { visits: number; seconds: number };
  /** Resolves when the spool is empty. */
  idle(): Promise<void>;
  /** Does not wait long between attempts any more. */
  hurry(): void;
  close(): void;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
const TELL_MS = 30_000;
const SOON_MS = 10_000;

export function createSender(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  spool: Spool,
  counter: VisitCounter,
): Sender {
  const hurrying = new AbortController();
  let running: Promise<void> | undefined;
  let isAsked = false;
  let isClosed = false;
  let awaySince: number | undefined;
  let busySince = 0;
  let toldAt = 0;
  let sent = 0;
  let isKeptBefore = false;

  function send(): void {
    if (isClosed) return;
    isAsked = true;
    if (running) return;
    busySince = performance.now();
    toldAt = busySince;
    sent = 0;
    running = run().finally(() => {
      running = undefined;
    });
  }

  async function run(): Promise<void> {
    if (awaySince !== undefined) await pause(FIRST_RETRY_MS);
    while (isAsked && !isClosed) {
      isAsked = false;
      await empty();
    }
    if (!isClosed) finish();
  }

  async function empty(): Promise<void> {
    for (let failures = 0; !isClosed; ) {
      try {
        const parcel = await spool.next();
        if (!parcel) return back();
        await deliver(parcel);
        parcel.done();
        sent += parcel.whole.size;
        failures = 0;
        back();
      } catch (error) {
        failed(error);
        await pause(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
        failures += 1;
      }
      tellOfDelay();
    }
  }

  async function deliver({ whole, parts }: Parcel): Promise<void> {
    const [first] = parts;
    if (await keep(whole, first?.number)) return;
    // Some of them were kept before, and nobody heard of it.
    if (parts.length > 1) for (const part of parts) await keep(part);
    isKeptBefore = true;
  }

  async function keep(batch: Batch, first?: number): Promise<boolean> {
    const [row] = await db.query<{ id: number }>(insertBatch(batch, first));
    if (row) counter.add(row.id, batch.size);
    return row !== undefined;
  }

  function failed(error: unknown): void {
    if (awaySince !== undefined) return;
    awaySince = performance.now();
    log.warn({ err: error }, 'the database takes no visits: they go to the spool');
  }

  function back(): void {
    if (awaySince === undefined) return;
    log.info({ seconds: secondsSince(awaySince) }, 'the database takes visits again');
    awaySince = undefined;
  }

  function tellOfDelay(): void {
    const now = performance.now();
    if (now - busySince < SOON_MS || now - toldAt < TELL_MS) return;
    toldAt = now;
    log.info({ sent, seconds: secondsSince(busySince) }, 'visits in the spool wait for the database');
  }

  function finish(): void {
    if (isKeptBefore) counter.claimUnheard();
    isKeptBefore = false;
    if (sent > 0)
      log.info({ visits: sent, seconds: secondsSince(busySince) }, 'visits were sent from the spool');
  }

  function pause(ms: number): Promise<void> {
    if (hurrying.signal.aborted) return delay(FIRST_RETRY_MS);
    return delay(ms, undefined, { signal: hurrying.signal }).catch(() => undefined);
  }

  return {
    send,
    failed,
    isAway: () => awaySince !== undefined,
    isSending: () => running !== undefined,
    behind: () => ({ visits: sent, seconds: running ? secondsSince(busySince) : 0 }),
    idle: async () => running,
    hurry: () => hurrying.abort(),
    close: () => {
      isClosed = true;
      hurrying.abort();
    },
  };
}

function secondsSince(moment: number): number {
  return Math.round((performance.now() - moment) / 100) / 10;
}
