import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { sandboxObjects } from '#host/db/payments.tables';
import { listOfCustomer } from '#host/payment-sandbox/objects';
import { openStandaloneSandbox, type StandaloneSandbox } from './standalone-sandbox';

const PROCESSING = '4000000000001034';
const UNCONFIRMED = '4000000000001042';
const ONLY_ONCE = '4000000000001018';

let sandbox: StandaloneSandbox;
let payments: StandaloneSandbox['provider'];

beforeEach(async () => {
  sandbox = await openStandaloneSandbox();
  payments = sandbox.provider;
});
afterEach(() => sandbox.close());

const deliver = () => payments.deliver?.(sandbox.clock.now());

async function stored(id: string) {
  const [row] = await sandbox.db.orm.select().from(sandboxObjects).where(eq(sandboxObjects.id, id));
  return row?.data as Record<string, unknown>;
}

test.each([
  ['4000000000007726', 'pending', 'succeeded', 990],
  ['4000000000005126', 'succeeded', 'failed', 0],
  ['4242424242424242', 'succeeded', 'succeeded', 990],
] as const)('a refund to card %s is %s at first and %s a day later', async (card, first, last, kept) => {
  const { charge, refund } = await sandbox.customer(card);
  const { id: chargeId } = await charge('charged');
  const made = await refund('refunded', chargeId);
  expect(made).toEqual({ id: made.id, chargeId, amountCents: 990, state: first });
  expect(await stored(chargeId)).toMatchObject({ refundedCents: 990 });
  sandbox.clock.advance(DAY_MS - 1000);
  await deliver();
  expect(await payments.getRefund(made.id)).toEqual(made);
  sandbox.clock.advance(1000);
  await Promise.all([deliver(), deliver()]);
  expect(await payments.getRefund(made.id)).toEqual({ ...made, state: last });
  expect(await stored(chargeId)).toMatchObject({ refundedCents: kept });
  expect(await payments.nextDelivery?.(new Date('2099-01-01'))).toBeNull();
});

test('no more is refunded than was charged, and what came back can be refunded again', async () => {
  const { charge, refund } = await sandbox.customer('4000000000005126');
  const { id } = await charge('charged');
  await expect(refund('too much', id, 991)).rejects.toThrow('cannot refund 991 cents');
  const part = await refund('a part', id, 500);
  expect(await refund('a part', id, 500)).toEqual(part);
  await expect(refund('more than is left', id, 491)).rejects.toThrow('cannot refund 491 cents');
  sandbox.clock.advance(DAY_MS);
  await deliver();
  expect(await refund('all of it', id)).toMatchObject({ state: 'succeeded', amountCents: 990 });
});

test.each([
  [PROCESSING, 'pending', 5, { state: 'succeeded', failure: null }],
  [UNCONFIRMED, 'open', 3, { state: 'failed', failure: 'authentication_required' }],
] as const)(
  'a charge of card %s is %s for %i days, is decided once, and only then told',
  async (card, waiting, days, decided) => {
    const { charge, refund } = await sandbox.customer(card);
    sandbox.received.length = 0;
    const made = await charge('delayed');
    expect(made).toMatchObject({ key: 'delayed', state: waiting, failure: null });
    await expect(refund('too early', made.id)).rejects.toThrow('cannot refund 990 cents');
    const end = new Date(sandbox.clock.now().getTime() + days * DAY_MS);
    expect(await payments.nextDelivery?.(new Date(end.getTime() - 1000))).toBeNull();
    expect(await payments.nextDelivery?.(end)).toEqual(end);
    sandbox.clock.set(new Date(end.getTime() - 1000));
    await deliver();
    expect(await payments.getCharge(made.id)).toEqual(made);
    expect(sandbox.received).toEqual([]);
    sandbox.clock.set(end);
    await Promise.all([deliver(), deliver()]);
    expect(await payments.getCharge(made.id)).toEqual({ ...made, ...decided });
    expect(sandbox.received).toMatchObject([{ type: `charge.${decided.state}`, objectId: made.id }]);
  },
);

test('a charge is made and told once per key, with its result', async () => {
  const { charge } = await sandbox.customer();
  const declined = await sandbox.customer('4000000000000341');
  sandbox.received.length = 0;
  const made = await charge('once');
  expect(made).toMatchObject({ state: 'succeeded', failure: null });
  expect(await charge('once')).toEqual(made);
  const refused = await declined.charge('refused');
  expect(refused).toMatchObject({ state: 'failed', failure: 'card_declined' });
  await deliver();
  await deliver();
  expect(sandbox.received.map(({ type, objectId }) => [type, objectId])).toEqual([
    ['charge.succeeded', made.id],
    ['charge.failed', refused.id],
  ]);
});

test('a card that is good once is declined after its first charge, but not for what another card paid', async () => {
  const { charge, customerId, openPortal } = await sandbox.customer();
  expect(await charge('with the first card')).toMatchObject({ state: 'succeeded' });
  await sandbox.enter(await openPortal(), { number: ONLY_ONCE });
  const methodId = (await payments.findCard(customerId))?.methodId;
  expect(await charge('once', 990, methodId)).toMatchObject({ state: 'succeeded' });
  const twice = await charge('twice', 990, methodId);
  expect(twice).toMatchObject({ state: 'failed', failure: 'card_declined' });
});

test('a card can be charged until the end of the month on it, and only for its own customer', async () => {
  const { charge } = await sandbox.customer('4242424242424242', '03/26');
  const other = await sandbox.customer();
  const refused = { state: 'failed', failure: 'payment_method_detached' };
  expect(await charge('a stranger’s card', 990, other.methodId)).toMatchObject(refused);
  expect(await charge('a card that never was', 990, 'pm_nothing')).toMatchObject(refused);
  sandbox.clock.set(new Date('2026-03-31T23:59:59.000Z'));
  expect(await charge('in its last second')).toMatchObject({ state: 'succeeded', failure: null });
  sandbox.clock.advance(1000);
  expect(await charge('after its end')).toMatchObject({ state: 'failed', failure: 'expired_card' });
});

test('a charge whose response was lost is found by its key', async () => {
  const { customerId, charge } = await sandbox.customer();
  const made = await charge('lost');
  expect(await payments.findCharge(customerId, 'lost')).toEqual(made);
  expect(await payments.findCharge(customerId, 'never made')).toBeNull();
  expect(await payments.getCharge(made.id)).toEqual(made);
  await expect(payments.getCharge('ch_nothing')).rejects.toThrow('no charge ch_nothing');
  await expect(payments.refund({ key: 'r', chargeId: 'ch_nothing', amountCents: 1 })).rejects.toThrow(
    'no charge ch_nothing',
  );
});

test('a charge can be refunded after its customer was forgotten', async () => {
  const { customerId, charge, refund } = await sandbox.customer();
  const { id } = await charge('before');
  await payments.forgetCustomer(customerId);
  expect(await refund('after', id)).toMatchObject({ state: 'succeeded', amountCents: 990 });
});

test('a card page is open for a day, and a card entered later is not saved', async () => {
  const { url, setupId, customerId } = await sandbox.openSetup();
  sandbox.clock.advance(DAY_MS - 1000);
  expect(await payments.getSetup(setupId)).toEqual({ id: setupId, state: 'open', customerId, card: null });
  expect((await sandbox.get(url)).status).toBe(200);
  sandbox.clock.advance(1000);
  expect(await payments.getSetup(setupId)).toMatchObject({ state: 'expired', card: null });
  for (const path of [url, `${url}/challenge`]) {
    expect((await sandbox.get(path)).status).toBe(404);
    expect((await sandbox.enter(path)).status).toBe(404);
  }
  expect(await payments.findCard(customerId)).toBeNull();
});

test('a saved card stays what it was after its page would have expired', async () => {
  const { customerId, setupId } = await sandbox.customer('5555555555554444');
  sandbox.clock.advance(2 * DAY_MS);
  const { state, card } = await payments.getSetup(setupId);
  const shown = { brand: 'mastercard', last4: '4444', expMonth: 12, expYear: 2034 };
  expect({ state, card }).toMatchObject({ state: 'succeeded', card: shown });
  expect(await payments.findCard(customerId)).toEqual(card);
  expect((await sandbox.get(`/sandbox/pay/${setupId}`)).status).toBe(303);
});

test('the same key opens the same card page, and another one opens another', async () => {
  const { customerId } = await sandbox.customer();
  const opened = await sandbox.openSetup({ key: 'one', customerId });
  expect(opened).toMatchObject({ customerId, url: `https://host.example/sandbox/pay/${opened.setupId}` });
  expect(await sandbox.openSetup({ key: 'one', customerId })).toEqual(opened);
  expect((await sandbox.openSetup({ key: 'two', customerId })).setupId).not.toBe(opened.setupId);
  const stranger = await sandbox.openSetup({ key: 'three' });
  expect(stranger.customerId).not.toBe(customerId);
  expect(await stored(stranger.customerId)).toEqual({
    email: 'ada@shop.example',
    name: 'Ada Byron',
    methodId: null,
  });
});

test('a card page posted twice concurrently saves one card and is told once', async () => {
  const { url, customerId } = await sandbox.openSetup();
  const answers = await Promise.all(
    ['4242424242424242', '5555555555554444'].map((number) => sandbox.enter(url, { number })),
  );
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect(await listOfCustomer(sandbox.db.orm, 'method', customerId)).toHaveLength(1);
  expect(sandbox.received.map(({ type }) => type)).toEqual(['setup.succeeded']);
});

test('a link to the portal works for an hour, for viewing and for changing the card', async () => {
  const { customerId, openPortal } = await sandbox.customer();
  const url = await openPortal();
  sandbox.received.length = 0;
  sandbox.clock.advance(3_599_000);
  expect((await sandbox.get(url)).status).toBe(200);
  expect(await sandbox.enter(url, { number: '5555555555554444' })).toMatchObject({ status: 303 });
  expect(sandbox.received).toMatchObject([{ type: 'customer.updated', objectId: customerId }]);
  sandbox.clock.advance(1_000);
  expect((await sandbox.get(url)).status).toBe(404);
  expect((await sandbox.enter(url)).status).toBe(404);
  expect(await payments.findCard(customerId)).toMatchObject({ last4: '4444' });
});

test('a customer who is forgotten leaves no card, name or address, and no card to charge', async () => {
  const { customerId, charge } = await sandbox.customer();
  await payments.preferCard(customerId, 'pm_any');
  await payments.changeEmail(customerId, 'new@shop.example');
  expect(await stored(customerId)).toMatchObject({ email: 'new@shop.example', name: 'Ada Byron' });
  await payments.forgetCustomer(customerId);
  expect(await stored(customerId)).toEqual({ email: '', name: '', methodId: null });
  expect(await listOfCustomer(sandbox.db.orm, 'method', customerId)).toEqual([]);
  expect(await payments.findCard(customerId)).toBeNull();
  expect(await charge('after that')).toMatchObject({ failure: 'payment_method_detached' });
  await payments.changeEmail('cus_nothing', 'new@shop.example');
  await payments.forgetCustomer('cus_nothing');
  expect(await payments.findCard('cus_nothing')).toBeNull();
});
