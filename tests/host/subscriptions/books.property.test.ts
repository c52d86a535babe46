import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { TEST_CARDS } from '#host/payment-sandbox/cards';
import { emit, signBody } from '#host/payment-sandbox/events';
import { saveCard } from '#host/payment-sandbox/setups';
import { findMethod } from '#host/payments/store';
import { confirmOrder } from '#host/subscriptions/billing-work';
import { cancelRenewal, switchPlan, undoCancellation } from '#host/subscriptions/contract/changes';
import { endWithAccount } from '#host/subscriptions/contract/ending';
import { findSubscription, lockSubscription } from '#host/subscriptions/contract/store';
import { listWaiting } from '#host/subscriptions/declaration/store';
import { endWaiting } from '#host/subscriptions/declaration/waiting';
import { listHeldOrders } from '#host/subscriptions/order/store';
import { readBooks } from '../../support/books';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { type Bought, buy, type CardKind, checkout, enterCard, placeOrder } from '../../support/ordering';
import { runs, seededBytes } from '../../support/seed';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost({ random: seededBytes() });
});
afterAll(() => host.close());

type Action =
  | { kind: 'wait'; hours: number }
  | { kind: 'cancel' | 'resume' | 'withdraw' | 'declare' | 'confirm' | 'undo' | 'again' | 'echo' | 'die' }
  | { kind: 'switch'; plan: 'basic_monthly' | 'basic_yearly' }
  | { kind: 'card'; number: string };

const NUMBERS = ['4242424242424242', '4000000000000341', '4000000000001018', '4000000000007726'];

const actions = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          ...(['cancel', 'resume', 'withdraw', 'declare', 'confirm', 'undo', 'again', 'echo'] as const),
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('switch' as const),
        plan: fc.constantFrom('basic_monthly' as const, 'basic_yearly' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('card' as const), number: fc.constantFrom(...NUMBERS) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'die' as const }) },
  ),
  { minLength: 3, maxLength: 12 },
);

/** Performs an action; one that is not possible at the moment is refused and changes nothing. */
async function perform(action: Action, { accountId, body, email, reference }: Bought): Promise<void> {
  const now = host.clock.now();
  const { orm } = host.db;
  if (action.kind === 'wait') host.clock.advance(action.hours * HOUR_MS);
  else if (action.kind === 'withdraw')
    await send(host, 'POST', '/api/contract/withdraw', {
      name: body.name,
      email,
      reference,
      confirmed: true,
    });
  else if (action.kind === 'declare')
    await send(host, 'POST', '/api/contract/cancel', { name: body.name, email, confirmed: true });
  else if (action.kind === 'confirm' || action.kind === 'undo') await decide(accountId, action.kind);
  else if (action.kind === 'again') await orderAgain(body);
  else if (action.kind === 'echo') await echoEvents();
  else if (action.kind === 'die')
    await orm.transaction((transaction) => endWithAccount(transaction, accountId, now));
  else if (action.kind === 'card') await changeCard(accountId, action.number);
  else
    await orm
      .transaction(async (transaction) => {
        const row = await lockSubscription(transaction, accountId);
        if (!row?.orderId) return;
        if (action.kind === 'switch') await switchPlan(transaction, host.deps, row, action, now);
        else if (action.kind === 'resume') await undoCancellation(transaction, host.deps, row, now);
        else if (['trialing', 'active', 'due_date'].includes(row.status))
          await cancelRenewal(transaction, host.deps, row, now);
      })
      .catch(() => undefined);
  await host.runBilling();
}

async function orderAgain({ email, name }: Bought['body']): Promise<void> {
  const placed = await placeOrder(host, { ...checkout({ trial: false }), email }).catch(() => null);
  if (placed) await enterCard(host, placed.redirectUrl, 'good', name);
  for (const { id } of await listHeldOrders(host.db.orm, email)) {
    await confirmOrder(host.deps, id, host.clock.now());
  }
}

/** Decides every waiting declaration about the contract. */
async function decide(accountId: string, decision: 'confirm' | 'undo'): Promise<void> {
  const found = await findSubscription(host.db.orm, accountId);
  for (const { id } of found ? await listWaiting(host.db.orm, found.id) : []) {
    await endWaiting(host.deps, id, { decision, proof: 'link' }, host.clock.now());
  }
}

/** Resends up to 30 webhooks in random order, under their old and under new ids. */
async function echoEvents(): Promise<void> {
  const { rows } = (await host.db.orm.execute(
    // Their ids are drawn with the seed, so this order is random, and the same in every run with that seed.
    sql`select id, type, object_id from sandbox_events order by md5(id || ${host.clock.now()}::text) limit 30`,
  )) as unknown as { rows: { id: string; type: string; object_id: string }[] };
  for (const { id, type, object_id } of rows) {
    for (const eventId of [id, `${id}-again-${host.clock.now().getTime()}`]) {
      const text = JSON.stringify({ id: eventId, type, data: { object: { id: object_id } } });
      const signature = signBody(text, 'a webhook secret of the test host', host.clock.now());
      const headers = { 'sandbox-signature': signature };
      const answered = await host.request('/api/webhooks/payments', { method: 'POST', headers, body: text });
      expect(answered.status).toBe(200);
    }
  }
}

async function changeCard(accountId: string, number: string): Promise<void> {
  const { orm } = host.db;
  const now = host.clock.now();
  const method = await findMethod(orm, accountId);
  if (!method) return;
  await orm.transaction(async (transaction) => {
    const about = {
      brand: 'visa',
      last4: number.slice(-4),
      expMonth: 12,
      expYear: 2060,
      fingerprint: `${number}-${now.getTime()}`,
    };
    const card = { ...about, behaviour: TEST_CARDS[number] ?? {} };
    await saveCard(transaction, host.deps.random, method.customerId, card, now);
    await emit(transaction, host.deps.random, 'customer.updated', method.customerId, now);
  });
}

async function expectBalance(): Promise<void> {
  const { charged, charges, paid, invoiced, credited } = await readBooks(host);
  expect({ charged, paid }).toEqual({ charged: invoiced - credited, paid: invoiced - credited });
  const { rows } = (await host.db.orm.execute(`
    select series, year, count(*)::int as count, max(place) as last, sum(case when net_cents + vat_cents = gross_cents then 0 else 1 end)::int as wrong
    from invoices group by series, year
  `)) as unknown as { rows: { series: string; count: number; last: number; wrong: number }[] };
  expect(rows.every(({ count, last, wrong }) => count === last && wrong === 0)).toBe(true);
  const invoices = rows.filter(({ series }) => series === 'F').reduce((sum, { count }) => sum + count, 0);
  expect(invoices).toBe(charges);
}

test('after any sequence of actions, the money charged equals transactions, invoices and credit notes', async () => {
  const cards = fc.constantFrom<CardKind>('good', 'neverAgain', 'onlyOnce');
  const slugs = fc.constantFrom('basic_monthly', 'basic_yearly');
  await fc.assert(
    fc.asyncProperty(actions, cards, slugs, fc.boolean(), async (list, card, slug, professional) => {
      const company = professional ? { professional, company: 'Atelier' } : {};
      const bought = await buy(host, { slug, ...company }, card);
      for (const action of list) {
        await perform(action, bought);
        await expectBalance();
      }
      await host.db.orm.transaction((transaction) =>
        endWithAccount(transaction, bought.accountId, host.clock.now()),
      );
      await host.runBilling();
      await expectBalance();
    }),
    { ...runs(8), endOnFailure: true },
  );
}, 120_000);
