import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rateLimits } from '#host/db/accounts.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, onboard } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(() => {
  host.clock.advance(3_600_000);
});
afterAll(() => host.close());

const post = (path: string, body: unknown, token?: string) => send(host, 'POST', path, body, { token });
const unknown = { token: 'x'.repeat(43) };
const nowhere = { payment_intent_id: `pi_${'x'.repeat(32)}` };

/** Requests as a customer, each with the number of them that are allowed in an hour. */
const LIMITED: [name: string, perHour: number, request: (token: string) => ReturnType<typeof send>][] = [
  ['order-ip', 100, () => post('/api/subscriptions', checkout())],
  ['order-status', 600, () => post('/api/transactions/check_pi_status', nowhere)],
  ['order-status', 600, () => post('/api/subscriptions/mail', nowhere)],
  [
    'order-status',
    600,
    () => post('/api/subscriptions/email', { ...nowhere, visitor: 'nobody', email: 'ada@shop.example' }),
  ],
  ['owner-link', 120, () => post('/api/contract/declaration', unknown)],
  ['owner-link', 120, () => post('/api/contract/declaration/decision', { ...unknown, decision: 'undo' })],
  ['owner-link', 120, () => post('/api/subscriptions/held', unknown)],
  ['owner-link', 120, () => post('/api/subscriptions/held/decision', { ...unknown, decision: 'discard' })],
  ['declaration-ip', 60, () => post('/api/contract/cancel', { name: 'Ada', email: 'ada@shop.example' })],
  ['portal', 60, (token) => post('/api/account/billing-portal', {}, token)],
];

test.each(LIMITED)(
  'of the requests limited as %s, the last of %i an hour is answered',
  async (name, perHour, request) => {
    const token = await onboard(host, (await buy(host)).email);
    // The limits of others do not count.
    await host.db.orm.delete(rateLimits);
    await request(token);
    const used = sql`update rate_limits set points = ${perHour - 2} where key like ${`${name}:%`}`;
    await host.db.orm.execute(used);
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await request(token)).status);
    expect(statuses.map((status) => status === 429)).toEqual([false, false, true]);
    host.clock.advance(3_600_000);
    expect((await request(token)).status).not.toBe(429);
  },
);
