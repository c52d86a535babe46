import { setTimeout as delay } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { billingJobs } from '#host/db/subscriptions.tables';
import { advanceTo } from '#host/payments/sandbox/clock';
import { enqueueJob } from '#host/subscriptions/jobs';
import type { TestHost } from '../../support/host';
import { afterDays, test } from '../../support/host-test';

const TOMORROW = new Date(afterDays(1));

/** A job that is due, and that another host has claimed for an hour. */
async function claimElsewhere({ db, clock }: TestHost): Promise<void> {
  const dueAt = clock.now();
  await enqueueJob(db.orm, { kind: 'refund', subject: 'nobody', dedupeKey: 'one', dueAt });
  await db.orm.update(billingJobs).set({ claimedUntil: sql`now() + interval '1 hour'` });
}

test('a due job that another host does not finish holds up the clock for a short time only', async ({
  host,
}) => {
  await claimElsewhere(host);
  await advanceTo(host.deps, TOMORROW);
  expect(host.clock.now()).toEqual(TOMORROW);
  expect(await host.db.orm.$count(billingJobs, eq(billingJobs.attempts, 0))).toBe(1);
});

test('the clock stays at a due job that another host is working on until it is done', async ({ host }) => {
  await claimElsewhere(host);
  const start = host.clock.now();
  const moved = advanceTo(host.deps, TOMORROW);
  await delay(100);
  expect(host.clock.now()).toEqual(start);
  await host.db.orm.update(billingJobs).set({ doneAt: start, claimedUntil: null });
  await moved;
  expect(host.clock.now()).toEqual(TOMORROW);
});
