import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getOffer } from '#contract/subscriptions';
import { invoices } from '#host/db/invoices.tables';
import { orders } from '#host/db/subscriptions.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  buy,
  checkout,
  onboard,
  signIn,
  statusOf,
  transactions,
  view,
} from '../../support/ordering';
import { pdfText } from '../../support/pdf-text';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function invoiceOf(accountId: string, series: 'F' | 'A') {
  const rows = await host.db.orm.select().from(invoices).where(eq(invoices.accountId, accountId));
  return rows.find((row) => row.series === series);
}

async function offerAt(place: Record<string, unknown> | undefined, token?: string) {
  const answered = await send(host, 'POST', '/api/subscriptions/offer', { place }, { token });
  return getOffer.response.parse(answered.body).data;
}

const dueAt = async (place: Record<string, unknown> | undefined, token?: string) =>
  (await offerAt(place, token)).plans.map(({ slug, due }) => [slug, due.priceCents, due.vatPercent]);

const PARIS = { country: 'FR', zip_code: '75011' };
const BERLIN = { country: 'DE', zip_code: '10115', vat_number: 'DE136695976' };
const AT = (percent: number, monthly: number, yearly: number) => [
  ['basic_monthly', monthly, percent],
  ['basic_yearly', yearly, percent],
];
const USUAL = AT(20, 990, 10_692);

test.each([
  [PARIS, USUAL],
  [{ ...PARIS, zip_code: '97200' }, AT(8.5, 990, 10_692)],
  [{ country: 'CH', zip_code: '8001' }, AT(0, 825, 8_910)],
  [BERLIN, USUAL],
  [{ ...BERLIN, professional: true }, AT(0, 825, 8_910)],
])('the prices at %j are known before the order: %j', async (place, prices) => {
  expect(await dueAt(place)).toEqual(prices);
});

test.each([undefined, {}, { country: 'XX' }, { country: '' }, { ...PARIS, zip_code: 5 }])(
  'prices include VAT for an invalid place: %j',
  async (place) => {
    expect(await dueAt(place)).toEqual(USUAL);
  },
);

test('an account sees prices for its default address, unless the form has a place', async () => {
  const { token } = await host.account({ access: false });
  expect((await offerAt(undefined, token)).account).toEqual({
    running: false,
    trialAvailable: true,
    moneyBackAvailable: true,
    address: null,
  });
  expect(await dueAt(undefined, token)).toEqual(USUAL);
  const swiss = { street: 'Hauptgasse 1', postal_code: '8001', city: 'Zürich', country: 'CH' };
  await send(host, 'POST', '/api/account/billing-addresses', swiss, { token });
  expect(await dueAt(undefined, token)).toEqual(AT(0, 825, 8_910));
  expect((await offerAt(undefined, token)).account?.address).toMatchObject(swiss);
  expect(await dueAt(PARIS, token)).toEqual(USUAL);
  expect(await dueAt({ country: '' }, token)).toEqual(USUAL);
});

test('an offer says if access is active, has no account when signed out, and is refused to an ended session', async () => {
  const { token } = await host.account();
  expect((await offerAt(undefined, token)).account).toMatchObject({ running: true });
  expect((await offerAt(undefined)).account).toBeNull();
  await send(host, 'POST', '/api/account/logout', undefined, { token });
  expect((await send(host, 'POST', '/api/subscriptions/offer', {}, { token })).status).toBe(401);
});

test('an order that was shown another amount is refused until the right one is shown', async () => {
  const swiss = checkout({ country: 'CH', zip_code: '8001', city: 'Zürich' });
  const refused = await send(host, 'POST', '/api/subscriptions', { ...swiss, price_cents: 990 });
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual({ price_cents: ['price_differs'] });
  expect(await host.db.orm.select().from(orders).where(eq(orders.email, swiss.email))).toEqual([]);
  expect((await send(host, 'POST', '/api/subscriptions', { ...swiss, price_cents: 825 })).status).toBe(201);
});

test.each([
  [
    '75011',
    990,
    '€9.90',
    '€106.92',
    10_692,
    { tax: 'standard', vatPercent: 20, netCents: 825, vatCents: 165 },
  ],
  [
    '97400',
    990,
    '€9.90',
    '€106.92',
    10_692,
    { tax: 'standard', vatPercent: 8.5, netCents: 912, vatCents: 78 },
  ],
  [
    '97300',
    825,
    '€8.25',
    '€89.10',
    8910,
    { tax: 'not_applicable', vatPercent: 0, netCents: 825, vatCents: 0 },
  ],
  ['98800', 825, '€8.25', '€89.10', 8910, { tax: 'outside_eu', vatPercent: 0, netCents: 825, vatCents: 0 }],
])(
  'with the French postcode %s the same amount, %i cents, is shown, charged, invoiced and refunded',
  async (zip_code, cents, said, saidYearly, yearlyCents, amounts) => {
    const { email, accountId, placed, body, reference } = await buy(host, { zip_code });
    expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ amountCents: cents });
    await onboard(host, email);
    const token = await signIn(host, email);
    expect((await view(host, token)).next).toMatchObject({ code: 'first_charge', amountCents: cents });
    expect((await view(host, token)).switch).toMatchObject({
      plan: 'basic_yearly',
      amountCents: yearlyCents,
    });

    await advance(host, '49h');

    const later = await signIn(host, email);
    const [paid] = await transactions(host, later);
    expect(paid).toMatchObject({ status: 'paid', amountCents: cents });
    expect(await invoiceOf(accountId, 'F')).toMatchObject({ ...amounts, grossCents: cents });
    const file = await host.request(paid?.invoice?.path ?? '', {
      headers: { authorization: `Bearer ${later}` },
    });
    const text = await pdfText(new Uint8Array(await file.arrayBuffer()));
    expect(text).toContain(`Total including VAT ${said}`);
    expect((await act(host, later, 'switch', { plan: 'basic_yearly' })).status).toBe(200);
    expect((await view(host, later)).switch).toMatchObject({ amountCents: yearlyCents, pending: true });

    const mails = (await host.mails()).filter(({ to }) => to === email);
    const bodyOf = (name: string) => mails.find(({ template }) => template === `billing-mail.${name}`)?.text;
    for (const name of ['order_confirmed', 'trial_reminder', 'receipt']) expect(bodyOf(name)).toContain(said);
    expect(bodyOf('switched')).toContain(saidYearly);

    const declared = { name: body.name, email, reference, confirmed: true };
    expect((await send(host, 'POST', '/api/contract/withdraw', declared)).status).toBe(200);
    await host.runBilling();
    expect(await invoiceOf(accountId, 'A')).toMatchObject({ ...amounts, grossCents: cents });
  },
);
