import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

const priceAt = (place: Record<string, unknown>) =>
  send(host, 'POST', '/api/subscriptions/price', {
    slug: 'basic_monthly',
    country: 'FR',
    zip_code: '75011',
    ...place,
  });

test.each([
  [{}, { priceCents: 990, vatPercent: 20 }],
  [{ slug: 'basic_yearly' }, { priceCents: 10_692, vatPercent: 20 }],
  [{ zip_code: '97200' }, { priceCents: 990, vatPercent: 8.5 }],
  [
    { country: 'CH', zip_code: '8001' },
    { priceCents: 825, vatPercent: 0 },
  ],
  [
    { country: 'DE', zip_code: '10115', vat_number: 'DE136695976' },
    { priceCents: 990, vatPercent: 20 },
  ],
  [
    { country: 'DE', zip_code: '10115', vat_number: 'DE136695976', professional: true },
    { priceCents: 825, vatPercent: 0 },
  ],
])('the price at %j is told before the order: %j', async (place, price) => {
  expect((await priceAt(place)).body.data).toEqual(price);
});

test.each([{ country: 'XX' }, { country: undefined }, { slug: 'gold' }, { zip_code: 5 }])(
  'there is no price for %j',
  async (place) => {
    expect((await priceAt(place)).status).toBe(422);
  },
);

test('an order that was shown another sum is refused until the right one was shown', async () => {
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
  'with the French postcode %s one amount, %i cents, is said, charged, invoiced and paid back',
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
