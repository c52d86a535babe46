import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, buy, onboard, signIn, subscriptionOf } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('a year of a monthly plan has a trial, twelve charges on the same day, and as many invoices', async () => {
  const { email, accountId } = await buy(host);
  expect((await subscriptionOf(host, accountId)).status).toBe('trialing');
  await onboard(host, email);
  await advance(host, '47h');
  expect((await subscriptionOf(host, accountId)).status).toBe('trialing');
  await advance(host, '2h');
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  await advance(host, '364d');
  const token = await signIn(host, email);
  const listed = await send(host, 'GET', '/api/account/transactions?limit=50', undefined, { token });
  const transactions = listed.body.data as {
    status: string;
    periodStart: string;
    amountCents: number;
    invoice: { number: string };
  }[];
  expect(transactions.map(({ status }) => status)).toEqual(Array(12).fill('paid'));
  expect(transactions.map(({ periodStart }) => periodStart.slice(8, 16))).toEqual(Array(12).fill('04T10:00'));
  expect(transactions.map(({ invoice }) => invoice.number)).toEqual(
    Array.from({ length: 12 }, (_, place) => place)
      .map((place) =>
        place < 10
          ? `F2026-${String(place + 1).padStart(6, '0')}`
          : `F2027-${String(place - 9).padStart(6, '0')}`,
      )
      .reverse(),
  );
  const pages = [1, 2, 3].map(async (page) => {
    const path = `/api/account/transactions?page=${page}&limit=5`;
    const answered = await send(host, 'GET', path, undefined, { token });
    expect(answered.body).toMatchObject({ meta: { page, limit: 5, total: 12 } });
    return answered.body.data as unknown[];
  });
  const turned = await Promise.all(pages);
  expect(turned.map(({ length }) => length)).toEqual([5, 5, 2]);
  expect(turned.flat()).toEqual(transactions);
  const mails = (await host.mails()).filter(({ to }) => to === email).map(({ template }) => template);
  expect(mails.filter((template) => template === 'billing-mail.receipt')).toHaveLength(12);
  expect(mails.filter((template) => template === 'billing-mail.trial_reminder')).toHaveLength(1);
});
