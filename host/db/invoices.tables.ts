import {
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { LOCALE_CODES } from '#contract/locales';
import { timestamptz } from './columns';

/** Last number by series and year. Taken in the transaction of the document, so that there are no gaps. */
export const invoiceCounters = pgTable(
  'invoice_counters',
  {
    series: text('series', { enum: ['F', 'A'] }).notNull(),
    year: integer('year').notNull(),
    last: integer('last').notNull(),
  },
  (table) => [primaryKey({ columns: [table.series, table.year] })],
);

/**
 * Invoices (F) and credit notes (A, with positive amounts that are subtracted). Written once, never changed, kept for
 * ten years (commercial code L123-22) even if the account is erased: everything printed on them is copied here.
 */
export const invoices = pgTable(
  'invoices',
  {
    number: text('number').primaryKey(),
    series: text('series', { enum: ['F', 'A'] }).notNull(),
    year: integer('year').notNull(),
    place: integer('place').notNull(),
    accountId: uuid('account_id').notNull(),
    paymentId: uuid('payment_id').notNull(),
    refundId: uuid('refund_id'),
    /** The invoice that a credit note corrects. */
    corrects: text('corrects'),
    issuedAt: timestamptz('issued_at').notNull(),
    locale: text('locale', { enum: LOCALE_CODES }).notNull(),
    seller: jsonb('seller').notNull(),
    buyer: jsonb('buyer').notNull(),
    reference: text('reference').notNull(),
    plan: text('plan', { enum: ['basic_monthly', 'basic_yearly'] }).notNull(),
    periodStart: timestamptz('period_start').notNull(),
    periodEnd: timestamptz('period_end').notNull(),
    paidAt: timestamptz('paid_at').notNull(),
    tax: text('tax', { enum: ['standard', 'reverse_charge', 'not_applicable', 'outside_eu'] }).notNull(),
    netCents: integer('net_cents').notNull(),
    /** May have decimals: overseas it is 8.5. */
    vatPercent: numeric('vat_percent', { precision: 4, scale: 2, mode: 'number' }).notNull(),
    vatCents: integer('vat_cents').notNull(),
    grossCents: integer('gross_cents').notNull(),
  },
  (table) => [
    uniqueIndex('invoices_place').on(table.series, table.year, table.place),
    uniqueIndex('invoices_payment').on(table.paymentId, table.series),
    index('invoices_account').on(table.accountId, table.issuedAt),
  ],
);
