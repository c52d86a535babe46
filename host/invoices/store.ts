import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import type { LegalIdentity, PlanSlug } from '#contract/plans';
import type { Orm } from '#host/db/client';
import { invoiceCounters, invoices } from '#host/db/invoices.tables';
import { amountsOf, type Buyer, vatOf } from './tax';
import { yearOf } from './wording';

type Seller = LegalIdentity['seller'] & { appName: string; contactEmail: string };
export type InvoiceRow = Omit<typeof invoices.$inferSelect, 'seller' | 'buyer'> & {
  seller: Seller;
  buyer: Buyer;
};

interface PaidPeriod {
  accountId: string;
  paymentId: string;
  amountCents: number;
  plan: PlanSlug;
  periodStart: Date;
  periodEnd: Date;
  buyer: Buyer;
  seller: Seller;
  reference: string;
  locale: Locale;
}

/** Stores the invoice of a payment that has just succeeded. Call it in the transaction that books the payment. */
export async function issueInvoice(orm: Orm, paid: PaidPeriod, now: Date): Promise<InvoiceRow> {
  const { amountCents, ...rest } = paid;
  return insert(orm, 'F', { ...rest, ...amountsOf(amountCents, vatOf(paid.buyer)), paidAt: now }, now);
}

/** Credits an invoice, in whole or in part, at its VAT rate. Call it in the transaction that books the refund. */
export async function issueCreditNote(
  orm: Orm,
  paymentId: string,
  refund: { id: string; amountCents: number },
  now: Date,
): Promise<InvoiceRow> {
  const original = await findInvoiceOf(orm, paymentId);
  if (!original) throw new Error(`payment ${paymentId} has no invoice to credit`);
  const { number, series, year, place, issuedAt, ...copied } = original;
  const amounts = refund.amountCents === original.grossCents ? {} : amountsOf(refund.amountCents, original);
  return insert(orm, 'A', { ...copied, ...amounts, corrects: number, refundId: refund.id, paidAt: now }, now);
}

type Content = Omit<typeof invoices.$inferInsert, 'number' | 'series' | 'year' | 'place' | 'issuedAt'>;

/**
 * Takes the next number of the year printed as its date: the counter's row stays locked, so that number and document
 * are saved together or not at all.
 */
async function insert(orm: Orm, series: 'F' | 'A', content: Content, now: Date): Promise<InvoiceRow> {
  const year = yearOf(now);
  const [counter] = await orm
    .insert(invoiceCounters)
    .values({ series, year, last: 1 })
    .onConflictDoUpdate({
      target: [invoiceCounters.series, invoiceCounters.year],
      set: { last: sql`${invoiceCounters.last} + 1` },
    })
    .returning({ place: invoiceCounters.last });
  const place = counter?.place ?? 0;
  const number = `${series}${year}-${String(place).padStart(6, '0')}`;
  const [row] = await orm
    .insert(invoices)
    .values({ ...content, number, series, year, place, issuedAt: now })
    .returning();
  if (!row) throw new Error(`document ${number} was not inserted`);
  return read(row);
}

export async function findInvoice(orm: Orm, number: string): Promise<InvoiceRow | null> {
  const [row] = await orm.select().from(invoices).where(eq(invoices.number, number));
  return row ? read(row) : null;
}

export async function findOwnInvoice(
  orm: Orm,
  accountId: string,
  number: string,
): Promise<InvoiceRow | null> {
  const [row] = await orm
    .select()
    .from(invoices)
    .where(and(eq(invoices.number, number), eq(invoices.accountId, accountId)));
  return row ? read(row) : null;
}

async function findInvoiceOf(orm: Orm, paymentId: string): Promise<InvoiceRow | null> {
  const [row] = await orm
    .select()
    .from(invoices)
    .where(and(eq(invoices.paymentId, paymentId), eq(invoices.series, 'F')));
  return row ? read(row) : null;
}

/** Drops the documents of all years before the given one. */
export async function dropOldInvoices(orm: Orm, firstKeptYear: number): Promise<void> {
  await orm.delete(invoices).where(lt(invoices.year, firstKeptYear));
}

/** Document numbers by payment. */
export async function listDocumentNumbers(orm: Orm, paymentIds: string[]) {
  if (paymentIds.length === 0) return [];
  return orm
    .select({ number: invoices.number, series: invoices.series, paymentId: invoices.paymentId })
    .from(invoices)
    .where(inArray(invoices.paymentId, paymentIds));
}

function read(row: typeof invoices.$inferSelect): InvoiceRow {
  return { ...row, seller: row.seller as Seller, buyer: row.buyer as Buyer };
}
