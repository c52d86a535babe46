import { setTimeout as delay } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { afterEach, expect, vi } from 'vitest';
import { createApp } from '#host/app';
import { jobs } from '#host/db/jobs.tables';
import { enqueueJob } from '#host/jobs/queue';
import { advanceTo } from '#host/payment-sandbox/clock';
import { VisitRecorder } from '#host/visits/receive/recorder';
import type { TestHost } from '../../support/host';
import { afterDays, test } from '../../support/host-test';

const TOMORROW = new Date(afterDays(1));

/** A job that is due, and that another host has claimed for an hour. */
async function claimElsewhere({ db, clock }: TestHost): Promise<void> {
  const dueAt = clock.now();
  await enqueueJob(db.orm, { kind: 'refund', subject: 'nobody', dedupeKey: 'one', dueAt });
  await db.orm.update(jobs).set({ claimedUntil: sql`now() + interval '1 hour'` });
}

/** From now on every wait of the clock for another host seems to take so long. */
function stretchWaits(seemingMs: number) {
  // A whole number, so that what is added to it is exactly the difference.
  const [now, wait] = [Math.round(performance.now()), setTimeout];
  let waits = 0;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
    if (ms === 50) waits += 1;
    return wait(done, ms);
  }) as typeof setTimeout);
  vi.spyOn(performance, 'now').mockImplementation(() => now + waits * seemingMs);
  return () => waits;
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('the clock does not pass a due job that another host does not finish within 40 seconds', async ({
  host,
}) => {
  await claimElsewhere(host);
  const start = host.clock.now();
  // The second wait ends at the limit, and the third after it.
  const waits = stretchWaits(20_000);
  const error = await advanceTo(host.deps, TOMORROW).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  expect(waits()).toBe(3);
  expect(host.clock.now()).toEqual(start);
  expect(await host.db.orm.$count(jobs, eq(jobs.attempts, 0))).toBe(1);
});

test('the call answers 503, keeps how far the clock came, and goes on when it is called again', async ({
  host,
}) => {
  const dueAt = new Date(afterDays(0.5));
  await enqueueJob(host.db.orm, { kind: 'refund', subject: 'nobody', dedupeKey: 'one', dueAt });
  await host.db.orm.update(jobs).set({ claimedUntil: sql`now() + interval '1 hour'` });
  const keep = vi.fn(async () => undefined);
  const app = createApp({ ...host.deps, clock: { ...host.clock, keep } }, new VisitRecorder(host.deps));
  stretchWaits(40_001);
  const advance = () =>
    app.request('/sandbox/clock', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"advance":"1d"}',
    });
  const refused = await advance();
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(host.clock.now()).toEqual(dueAt);
  expect(keep).toHaveBeenCalledTimes(1);
  vi.restoreAllMocks();
  await host.db.orm.update(jobs).set({ doneAt: dueAt, claimedUntil: null });
  expect((await advance()).status).toBe(200);
  expect(host.clock.now()).toEqual(new Date(dueAt.getTime() + 86_400_000));
});

test('what a host that died had claimed is done when its claim expires, before the clock moves on', async ({
  host,
}) => {
  const dueAt = host.clock.now();
  for (const dedupeKey of ['one', 'other'])
    await enqueueJob(host.db.orm, { kind: 'forget_customer', subject: 'nobody', dedupeKey, dueAt });
  await host.db.orm
    .update(jobs)
    .set({ claimedUntil: sql`now() + interval '2.5 seconds'` })
    .where(eq(jobs.dedupeKey, 'one'));
  await advanceTo(host.deps, TOMORROW);
  const done = await host.db.orm.select().from(jobs);
  expect(done.map(({ doneAt }) => doneAt)).toEqual([dueAt, dueAt]);
  expect(host.clock.now()).toEqual(TOMORROW);
});

test('the clock stays at a due job that another host is working on until it is done', async ({ host }) => {
  await claimElsewhere(host);
  const start = host.clock.now();
  const moved = advanceTo(host.deps, TOMORROW);
  await delay(100);
  expect(host.clock.now()).toEqual(start);
  await host.db.orm.update(jobs).set({ doneAt: start, claimedUntil: null });
  await moved;
  expect(host.clock.now()).toEqual(TOMORROW);
});
