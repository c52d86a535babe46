import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { declarations, orders } from '#host/db/subscriptions.tables';
import { dropOldInvoices } from '#host/invoices/store';
import { dropOldPayments } from '#host/payments/store';
import { parisDay } from '#host/subscriptions/calendar';

/** How long an order that led to no contract is kept, for its page and for forms that are posted again. */
const UNFULFILLED_DAYS = 30;
/** Civil code 2224, and consumer code L213-1 and D213-1 for contracts above a certain amount; years from their end. */
const PROOF_YEARS = 5;
const LONG_PROOF_YEARS = 10;
const LONG_PROOF_CENTS = 12_000;
const DECLARATION_YEARS = 5;
/** Commercial code L123-22: from the end of the financial year, which is the calendar year. */
const INVOICE_YEARS = 10;

/** Drops what the privacy policy no longer allows to keep: orders, declarations, invoices and their payments. */
export async function dropOldPurchases(orm: Orm, now: Date): Promise<void> {
  await dropUnfulfilled(orm, now);
  await dropFulfilled(orm, now);
  await orm.delete(declarations).where(lt(declarations.receivedAt, yearsBefore(now, DECLARATION_YEARS)));
  const firstKept = new Date(parisDay(now)).getUTCFullYear() - INVOICE_YEARS;
  await orm.transaction(async (transaction) => {
    await dropOldInvoices(transaction, firstKept);
    await dropOldPayments(transaction, new Date(Date.UTC(firstKept, 0)));
  });
}

async function dropUnfulfilled(orm: Orm, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - UNFULFILLED_DAYS * 86_400_000);
  const isUnfulfilled = or(
    inArray(orders.status, ['failed', 'refused']),
    and(eq(orders.status, 'incomplete'), isNull(orders.subscriptionId)),
  );
  await orm.delete(orders).where(and(isUnfulfilled, lt(orders.createdAt, cutoff)));
}

/** Orders that led to a contract are kept as long as the account, and this long after the end of the contract. */
async function dropFulfilled(orm: Orm, now: Date): Promise<void> {
  const hasAccount = sql`exists (select 1 from accounts where accounts.id = ${orders.ownerId} and accounts.deleted_at is null)`;
  const endedAt = sql`coalesce(
    (select subscriptions.ended_at from subscriptions where subscriptions.id = ${orders.subscriptionId}),
    (select max(payments.period_end) from payments where payments.subscription_id = ${orders.subscriptionId}),
    ${orders.completedAt})`;
  const yearsAgo = (count: number) => yearsBefore(now, count).toISOString();
  const cutoff = sql`case when ${orders.priceCents} >= ${LONG_PROOF_CENTS}
    then ${yearsAgo(LONG_PROOF_YEARS)}::timestamptz else ${yearsAgo(PROOF_YEARS)}::timestamptz end`;
  await orm
    .delete(orders)
    .where(and(eq(orders.status, 'complete'), sql`not ${hasAccount}`, sql`${endedAt} < ${cutoff}`));
}

function yearsBefore(date: Date, years: number): Date {
  const before = new Date(date);
  before.setUTCFullYear(before.getUTCFullYear() - years);
  return before;
}
