import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { listPayments } from '#host/payments/store';
import { createTestHost, type TestHost } from '../../support/host';
import {
  act,
  advance,
  billingMail,
  buy,
  onboard,
  replaceCard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';
import { declare, linkOf, ownerOf, statusAfter } from './declaring';

const OBJECTION_MS = 72 * HOUR_MS;
/** The charge follows the decision by a minute. */
const MARGIN_MS = 60_000;

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const now = () => host.clock.now().getTime();
const nextOf = async (token: string) => Date.parse((await view(host, token)).next?.at ?? '');

test('a declaration that is decided after the end of the trial moves the next charge, an earlier one does not', async () => {
  const bought = await buy(host);
  const trialEnd = now() + 48 * HOUR_MS;
  await advance(host, '40h');
  const owner = await ownerOf(host, bought);
  expect(await nextOf(owner)).toBe(trialEnd);
  await declare(host, 'cancel', bought);
  expect(await nextOf(owner)).toBe(now() + OBJECTION_MS + MARGIN_MS);

  const paid = await buy(host, { trial: false });
  const { periodEnd } = await subscriptionOf(host, paid.accountId);
  await declare(host, 'cancel', paid);
  expect(await nextOf(await ownerOf(host, paid))).toBe(periodEnd?.getTime());
});

test('a renewal waits for the decision, while access continues until an hour after it', async () => {
  const bought = await buy(host, { trial: false });
  await advance(host, '30d');
  await declare(host, 'cancel', bought);
  const decidedBy = now() + OBJECTION_MS + MARGIN_MS;
  await advance(host, '60h');
  const owner = await ownerOf(host, bought);
  expect(await view(host, owner)).toMatchObject({
    status: 'active',
    running: true,
    accessUntil: new Date(decidedBy + HOUR_MS).toISOString(),
  });
  expect(await transactions(host, owner)).toHaveLength(1);
  expect(await (await linkOf(host, bought)).decide('undo')).toBe('undone');
  await host.runBilling();
  expect(await transactions(host, owner)).toHaveLength(2);
});

test('an overdue charge waits too, but gives no access meanwhile', async () => {
  const bought = await buy(host, {}, 'neverAgain');
  await advance(host, '49h');
  expect(await statusAfter(host, bought)).toBe('due_date');
  const { accessUntil } = await subscriptionOf(host, bought.accountId);
  await advance(host, '60h');
  await declare(host, 'cancel', bought);
  await advance(host, '20h');
  expect(await statusAfter(host, bought)).toBe('due_date');
  expect((await subscriptionOf(host, bought.accountId)).accessUntil).toEqual(accessUntil);
  const { rows } = await listPayments(host.db.orm, bought.accountId, { page: 1, limit: 1 });
  expect(rows).toMatchObject([{ attempts: 1 }]);
});

test('a declaration that is undone while a charge is overdue does not bring the next attempt forward', async () => {
  const bought = await buy(host, {}, 'neverAgain');
  await advance(host, '49h');
  await declare(host, 'cancel', bought);
  expect(await (await linkOf(host, bought)).decide('undo')).toBe('undone');
  await host.runBilling();
  const { rows } = await listPayments(host.db.orm, bought.accountId, { page: 1, limit: 1 });
  expect(rows).toMatchObject([{ status: 'failed', attempts: 1 }]);
  expect(await nextOf(await ownerOf(host, bought))).toBe(now() + 71 * HOUR_MS);
});

test('the mail about an end says whether a charge may still be on its way', async () => {
  const pending = await buy(host, {}, 'processing');
  const idle = await buy(host, {});
  for (const { email } of [pending, idle]) await onboard(host, email);
  await act(host, await signIn(host, idle.email), 'cancel');
  await advance(host, '50h');
  await act(host, await signIn(host, pending.email), 'cancel');
  await host.runBilling();
  const unfinished = 'A charge of €9.90 may still be on its way. If it goes through, we pay it back in full.';
  const textOf = async (bought: { email: string }) =>
    (await billingMail(host, bought, 'contract_ended')).text;
  expect(await textOf(pending)).toContain(unfinished);
  expect(await textOf(pending)).not.toContain('Nothing more will be charged.');
  expect(await textOf(idle)).toContain('Nothing more will be charged.');
  expect(await textOf(idle)).not.toContain('on its way');
});

test('a charge that is being processed is announced as such, with the day it fell due, in and after the trial', async () => {
  for (const [fields, time] of [
    [{}, '50h'],
    [{ trial: false }, '32d'],
  ] as const) {
    const { email, accountId } = await buy(host, fields);
    await replaceCard(host, await onboard(host, email), 'processing');
    const { trialEnd, periodEnd } = await subscriptionOf(host, accountId);
    const due = (periodEnd ?? trialEnd)?.toISOString();
    await advance(host, time);
    const { next, nextRenewal, switch: offered } = await view(host, await signIn(host, email));
    expect(next).toEqual({ code: 'charging', at: due, amountCents: 990 });
    expect([nextRenewal, offered]).toEqual([due, null]);
    await advance(host, '6d');
    const { next: following } = await view(host, await signIn(host, email));
    expect(following).toMatchObject({ code: 'renewal', amountCents: 990 });
    expect(Date.parse(following?.at ?? '')).toBeGreaterThan(now());
  }
});
