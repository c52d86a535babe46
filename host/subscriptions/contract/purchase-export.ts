import { and, desc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { CardRecord, DeclarationRecord, OrderRecord, PaymentRecord } from '#contract/account-records';
import type { Orm } from '#host/db/client';
import { payments, refunds } from '#host/db/payments.tables';
import { declarations, orders } from '#host/db/subscriptions.tables';
import { listDocumentNumbers } from '#host/invoices/store';
import type { Buyer } from '#host/invoices/tax';
import { findMethod } from '#host/payments/store';

interface Owner {
  id: string;
  email: string;
}

interface Purchases {
  orders: OrderRecord[];
  transactions: PaymentRecord[];
  card: CardRecord | null;
  declarations: DeclarationRecord[];
}

/** Everything stored about what an account ordered, paid, was refunded and declared, newest first. */
export async function exportPurchases(orm: Orm, owner: Owner): Promise<Purchases> {
  const [ordered, transactions, method, declared] = await Promise.all([
    listOrders(orm, owner.id),
    listPayments(orm, owner.id),
    findMethod(orm, owner.id),
    listDeclarations(orm, owner),
  ]);
  const card = method && {
    brand: method.brand,
    last4: method.last4,
    expMonth: method.expMonth,
    expYear: method.expYear,
    fingerprint: method.fingerprintHash,
    updatedAt: method.updatedAt.toISOString(),
  };
  return { orders: ordered, transactions, card, declarations: declared };
}

/** Only those of the account itself: an order that someone else placed with its address names that other person. */
async function listOrders(orm: Orm, accountId: string): Promise<OrderRecord[]> {
  const rows = await orm
    .select()
    .from(orders)
    .where(or(eq(orders.ownerId, accountId), eq(orders.accountId, accountId)))
    .orderBy(desc(orders.createdAt));
  return rows.map(({ createdAt, completedAt, buyer, ...order }) => ({
    id: order.id,
    reference: order.reference,
    status: order.status,
    failure: order.failure,
    plan: order.plan,
    priceCents: order.priceCents,
    trialHours: order.trialHours,
    email: order.email,
    buyer: buyer as Buyer,
    termsVersion: order.termsVersion,
    waiverVersion: order.waiverVersion,
    consentIp: order.consentIp,
    createdAt: createdAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  }));
}

async function listPayments(orm: Orm, accountId: string): Promise<PaymentRecord[]> {
  const rows = await orm
    .select()
    .from(payments)
    .where(eq(payments.accountId, accountId))
    .orderBy(desc(payments.createdAt), desc(payments.id));
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [numbers, refundRows] = await Promise.all([
    listDocumentNumbers(orm, ids),
    orm.select().from(refunds).where(inArray(refunds.paymentId, ids)).orderBy(refunds.requestedAt),
  ]);
  return rows.map((row) => ({
    id: row.id,
    plan: row.plan,
    status: row.status,
    amountCents: row.amountCents,
    refundedCents: row.refundedCents,
    periodStart: row.periodStart?.toISOString() ?? null,
    periodEnd: row.periodEnd?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    paidAt: row.paidAt?.toISOString() ?? null,
    failure: row.failure,
    card: row.cardLast4 ? { brand: row.cardBrand, last4: row.cardLast4 } : null,
    // The invoice (F), then its credit note (A).
    documents: numbers
      .flatMap(({ paymentId, number }) => (paymentId === row.id ? [number] : []))
      .sort((a, b) => b.localeCompare(a)),
    refunds: refundRows
      .filter(({ paymentId }) => paymentId === row.id)
      .map(({ amountCents, reason, status, requestedAt, endedAt }) => ({
        amountCents,
        reason,
        status,
        requestedAt: requestedAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      })),
  }));
}

/**
 * By address, because they can be made without signing in and their receipt was sent to it; and those that were proven to
 * come from the owner, whose address may have been another one then.
 */
async function listDeclarations(orm: Orm, { id, email }: Owner): Promise<DeclarationRecord[]> {
  const contracts = orm.select({ id: orders.subscriptionId }).from(orders).where(eq(orders.ownerId, id));
  const rows = await orm
    .select()
    .from(declarations)
    .where(
      or(
        eq(sql`lower(${declarations.email})`, email.toLowerCase()),
        eq(declarations.callerId, id),
        and(isNotNull(declarations.proof), inArray(declarations.subscriptionId, contracts)),
      ),
    )
    .orderBy(desc(declarations.receivedAt))
    .limit(1000);
  return rows.map(
    ({ kind, name, email: entered, reference, receivedAt, outcome, effectiveAt, decidedAt }) => ({
      kind,
      name,
      email: entered,
      reference,
      receivedAt: receivedAt.toISOString(),
      outcome,
      effectiveAt: effectiveAt?.toISOString() ?? null,
      decidedAt: decidedAt?.toISOString() ?? null,
    }),
  );
}
