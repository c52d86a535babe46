import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { jobs as table } from '#host/db/jobs.tables';
import { dropOldJobs, enqueueJob, type Handler, JobQueue, postponeJob } from '#host/jobs/queue';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;

beforeEach(async () => {
  host = await createTestHost();
  const dueAt = host.clock.now();
  for (const key of ['one', 'two', 'three']) {
    await enqueueJob(host.db.orm, { kind: 'refund', subject: key, dedupeKey: key, dueAt });
  }
});
afterEach(() => host.close());

/** Runs every due job with the same handler. */
function run(handler: Handler, stopping?: AbortSignal): Promise<number> {
  return new JobQueue(host.deps, { refund: handler }).runDue(host.clock.now(), stopping);
}

const jobs = () => host.db.orm.select().from(table);

test('a job is claimed when its turn comes, not while an earlier one is running', async () => {
  const claimed: number[] = [];
  await run(async () => {
    claimed.push((await jobs()).filter(({ claimedUntil }) => claimedUntil !== null).length);
  });
  expect(claimed).toEqual([1, 1, 1]);
  expect((await jobs()).every(({ doneAt }) => doneAt !== null)).toBe(true);
});

test('a stopping host finishes its current job and leaves the others unclaimed', async () => {
  const stopping = new AbortController();
  const done: string[] = [];
  await run(async ({ subject }) => {
    done.push(subject);
    stopping.abort();
  }, stopping.signal);
  expect(done).toHaveLength(1);
  const left = (await jobs()).filter(({ doneAt }) => doneAt === null);
  expect(left.map(({ attempts, claimedUntil }) => [attempts, claimedUntil])).toEqual([
    [0, null],
    [0, null],
  ]);
  await run(async ({ subject }) => {
    done.push(subject);
  });
  expect(done.sort()).toEqual(['one', 'three', 'two']);
});

const claimOf = async (key: string) => {
  const { rows } = (await host.db.orm.execute(
    sql`select extract(epoch from claimed_until - now())::float8 as seconds from jobs where dedupe_key = ${key}`,
  )) as unknown as { rows: { seconds: number }[] };
  return rows[0]?.seconds ?? 0;
};

test('the claim of a host that died expires within half a minute', async () => {
  const claims: number[] = [];
  await run(async ({ dedupeKey: key }) => {
    claims.push(await claimOf(key));
  });
  expect(claims).toHaveLength(3);
  for (const seconds of claims) {
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(30);
  }
});

test('a host that works on a job for long renews its claim', async () => {
  const others: string[] = [];
  const stopping = new AbortController();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await run(async ({ dedupeKey: key }) => {
    stopping.abort();
    await host.db.orm.execute(sql`update jobs set claimed_until = now() + interval '1 hour'
      where dedupe_key <> ${key}`);
    await host.db.orm.execute(sql`update jobs set claimed_until = now() + interval '9 seconds'
      where dedupe_key = ${key}`);
    // Renewed before it expires.
    vi.advanceTimersByTime(8_500);
    await vi.waitFor(async () => expect(await claimOf(key)).toBeGreaterThan(15));
    await run(async (other) => {
      others.push(other.dedupeKey);
    });
  }, stopping.signal);
  expect(others).toEqual([]);
  expect((await jobs()).filter(({ doneAt }) => doneAt !== null)).toHaveLength(1);
});

test('a host that lost its job to another does not reschedule it', async () => {
  const calls: string[] = [];
  await run(async ({ dedupeKey: key }) => {
    calls.push(key);
    if (calls.length > 1) return;
    await host.db.orm.execute(sql`update jobs set claimed_until = now() - interval '1 second'`);
    // Another host claims and completes this job and the others.
    await run(async (other) => {
      calls.push(other.dedupeKey);
    });
    throw new Error('what the first host was at failed');
  });
  expect(calls).toHaveLength(4);
  expect((await jobs()).map(({ doneAt, lastError }) => [doneAt !== null, lastError])).toEqual(
    [1, 2, 3].map(() => [true, null]),
  );
});

test('a job that succeeds after an error keeps neither its claim nor the error', async () => {
  let isBroken = true;
  const handler: Handler = async () => {
    if (isBroken) throw new Error('the provider is away');
  };
  await run(handler);
  expect((await jobs()).map(({ lastError, doneAt }) => [lastError, doneAt])).toEqual(
    Array(3).fill(['the provider is away', null]),
  );
  isBroken = false;
  await host.db.orm.update(table).set({ claimedUntil: sql`now() - interval '1 second'` });
  expect(await run(handler)).toBe(3);
  expect(
    (await jobs()).map(({ lastError, claimedUntil, doneAt }) => [lastError, claimedUntil, doneAt]),
  ).toEqual(Array(3).fill([null, null, host.clock.now()]));
});

test('a postponed job is free at once for whoever runs it then', async () => {
  const later = new Date(host.clock.now().getTime() + 60_000);
  await run((job) => postponeJob(host.db.orm, job, later));
  expect((await jobs()).map(({ claimedUntil, doneAt, dueAt }) => [claimedUntil, doneAt, dueAt])).toEqual(
    Array(3).fill([null, null, later]),
  );
  expect(await run(async () => undefined)).toBe(0);
  host.clock.set(later);
  expect(await run(async () => undefined)).toBe(3);
});

test('a job that postponed itself often is soon tried again after an error, which its next success forgets', async () => {
  const stateOf = async (key: string) => (await jobs()).find(({ dedupeKey }) => dedupeKey === key);
  const postpone: Handler = (job, now) => postponeJob(host.db.orm, job, new Date(now.getTime() + 1_000));
  const fail: Handler = async () => {
    throw new Error('the server restarts');
  };
  const runOne = async (handler: Handler) => {
    host.clock.advance(1_000);
    await new JobQueue(host.deps, { refund: handler }).run('one', host.clock.now());
  };
  for (let time = 0; time < 10; time += 1) await runOne(postpone);
  for (const seconds of [5, 30]) {
    await runOne(fail);
    expect(Math.round(await claimOf('one'))).toBe(seconds);
    await host.db.orm.update(table).set({ claimedUntil: null });
  }
  expect(await stateOf('one')).toMatchObject({ failures: 2, lastError: 'the server restarts' });
  await runOne(postpone);
  expect(await stateOf('one')).toMatchObject({ failures: 0, lastError: null });
});

test('a done job is dropped after thirteen months, counted from when it was done', async () => {
  await run(async () => undefined);
  const kept = host.clock.now().getTime() + DEDUPE_RETENTION_MS;
  await dropOldJobs(host.db.orm, new Date(kept));
  expect(await jobs()).toHaveLength(3);
  await dropOldJobs(host.db.orm, new Date(kept + 1));
  expect(await jobs()).toEqual([]);
});
