import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoices } from '#host/db/invoices.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { act, advance, buy, onboard, signIn, statusOf, transactions, view } from '../../support/ordering';
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
    const { email, accountId, placed, body } = await buy(host, { zip_code });
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

    const declared = { name: body.name, email, confirmed: true };
    expect((await send(host, 'POST', '/api/contract/withdraw', declared)).status).toBe(200);
    await host.runBilling();
    expect(await invoiceOf(accountId, 'A')).toMatchObject({ ...amounts, grossCents: cents });
  },
);
