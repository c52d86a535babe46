import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { subscriptions } from '#host/db/subscriptions.tables';
import type { Job } from '#host/jobs/queue';
import { sendRenewalNotice } from '#host/subscriptions/charge/reminders';
import { test } from '../../support/host-test';
import { billingMails, buy, subscriptionOf } from '../../support/ordering';

type Change = Partial<typeof subscriptions.$inferInsert>;

test.for([
  ['is mailed for a yearly plan', {}, {}, 1],
  ['is not mailed after a cancellation', { cancelAtPeriodEnd: true }, {}, 0],
  ['is not mailed while a charge is overdue', { status: 'due_date' }, {}, 0],
  ['is not mailed for a monthly plan', { plan: 'basic_monthly' }, {}, 0],
  ['is not mailed without a paid period', { periodEnd: null }, {}, 0],
  ['is not mailed for an earlier period', {}, { period: 0 }, 0],
  ['is not mailed for an earlier contract', {}, { subscriptionId: randomUUID() }, 0],
  ['is not mailed to an erased account', {}, { subject: randomUUID() }, 0],
] as [string, Change, Partial<Job>, number][])(
  'the notice of a renewal %s',
  async ([_, change, changedJob, mails], { host }) => {
    const bought = await buy(host, { slug: 'basic_yearly', trial: false });
    const { id: subscriptionId, nextPeriod: period } = await subscriptionOf(host, bought.accountId);
    await host.db.orm
      .update(subscriptions)
      .set({ cancelAtPeriodEnd: false, ...change })
      .where(eq(subscriptions.accountId, bought.accountId));
    const job: Job = {
      id: randomUUID(),
      kind: 'renewal_notice',
      subject: bought.accountId,
      subscriptionId,
      period,
      planned: null,
      dedupeKey: 'notice',
      dueAt: host.clock.now(),
      ...changedJob,
    };
    await sendRenewalNotice(host.deps, job, host.clock.now());
    const sent = (await billingMails(host, bought)).filter((name) => name === 'renewal_notice');
    expect(sent).toHaveLength(mails);
  },
);
