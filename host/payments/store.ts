import { createHash } from 'node:crypto';
import { and, desc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { paymentAttempts, paymentMethods, payments, refunds } from '#host/db/payments.tables';
import type { PaymentProvider, SavedCard } from '#host/http/payment-provider';

export type PaymentRow = typeof payments.$inferSelect;
export type AttemptRow = typeof paymentAttempts.$inferSelect;
type MethodRow = typeof paymentMethods.$inferSelect;

export function hashFingerprint(fingerprint: string): string {
  return createHash('sha256').update(`card:${fingerprint}`).digest('hex');
}

export async function findMethod(orm: Orm, accountId: string): Promise<MethodRow | null> {
  const [row] = await orm.select().from(paymentMethods).where(eq(paymentMethods.accountId, accountId));
  return row ?? null;
}

export async function findMethodOfCustomer(orm: Orm, customerId: string): Promise<MethodRow | null> {
  const [row] = await orm.select().from(paymentMethods).where(eq(paymentMethods.customerId, customerId));
  return row ?? null;
}

/** Whether a card is the stored one, unchanged: when a bank renews a card, its number and expiry change. */
export function isUnchanged(method: MethodRow, { fingerprint, ...card }: SavedCard): boolean {
  return (
    method.methodId === card.methodId &&
    method.last4 === card.last4 &&
    method.expMonth === card.expMonth &&
    method.expYear === card.expYear &&
    method.fingerprintHash === hashFingerprint(fingerprint)
  );
}

/** Stores which card an account pays with: what a person recognises it by, but not its number. */
export async function putMethod(
  orm: Orm,
  accountId: string,
  details: { provider: PaymentProvider['name']; customerId: string; card: SavedCard },
  now: Date,
): Promise<void> {
  const { fingerprint, ...card } = details.card;
  const values = {
    accountId,
    provider: details.provider,
    customerId: details.customerId,
    ...card,
    fingerprintHash: hashFingerprint(fingerprint),
    updatedAt: now,
  };
  await orm
    .insert(paymentMethods)
    .values(values)
    .onConflictDoUpdate({ target: paymentMethods.accountId, set: values });
}

export async function dropMethod(orm: Orm, accountId: string): Promise<MethodRow | null> {
  const [row] = await orm.delete(paymentMethods).where(eq(paymentMethods.accountId, accountId)).returning();
  return row ?? null;
}

/** The row of a period, created if there is none. */
export async function ensurePayment(orm: Orm, payment: typeof payments.$inferInsert): Promise<PaymentRow> {
  await orm
    .insert(payments)
    .values(payment)
    .onConflictDoNothing({ target: [payments.subscriptionId, payments.period] });
  const found = await findPayment(orm, payment.subscriptionId, payment.period);
  if (!found) throw new Error('the payment just inserted is missing');
  return found;
}

export async function findPayment(
  orm: Orm,
  subscriptionId: string,
  period: number,
): Promise<PaymentRow | null> {
  const [row] = await orm
    .select()
    .from(payments)
    .where(and(eq(payments.subscriptionId, subscriptionId), eq(payments.period, period)));
  return row ?? null;
}

export async function getPayment(orm: Orm, id: string): Promise<PaymentRow> {
  const [row] = await orm.select().from(payments).where(eq(payments.id, id));
  if (!row) throw new Error(`no payment ${id}`);
  return row;
}

export async function changePayment(orm: Orm, id: string, changes: Partial<PaymentRow>): Promise<void> {
  await orm.update(payments).set(changes).where(eq(payments.id, id));
}

/** Payments of a contract that succeeded and were not refunded in full, oldest first. */
export async function listPaid(orm: Orm, subscriptionId: string): Promise<PaymentRow[]> {
  return orm
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.subscriptionId, subscriptionId),
        eq(payments.status, 'paid'),
        isNotNull(payments.paidAt),
      ),
    )
    .orderBy(payments.period);
}

/** Whether a payment of a contract was refunded in full. */
export async function wasRefunded(orm: Orm, subscriptionId: string): Promise<boolean> {
  const isOf = eq(payments.subscriptionId, subscriptionId);
  return (await orm.$count(payments, and(isOf, eq(payments.status, 'refunded')))) > 0;
}

/** Closes what is unpaid when a contract ends. A charge in progress is left to finish. */
export async function closeOpenPayments(
  orm: Orm,
  subscriptionId: string,
  status: 'voided' | 'uncollectible',
): Promise<void> {
  await orm
    .update(payments)
    .set({ status })
    .where(and(eq(payments.subscriptionId, subscriptionId), inArray(payments.status, ['open', 'failed'])));
}

/** Whether a charge of a contract is in progress. */
export async function hasPending(orm: Orm, subscriptionId: string): Promise<boolean> {
  const found = await orm
    .select({ key: paymentAttempts.key })
    .from(paymentAttempts)
    .innerJoin(payments, eq(payments.id, paymentAttempts.paymentId))
    .where(and(eq(payments.subscriptionId, subscriptionId), eq(paymentAttempts.status, 'pending')));
  return found.length > 0;
}

/** The amount of a contract's charge that may still succeed; null if none is in progress. */
export async function findChargingCents(orm: Orm, subscriptionId: string): Promise<number | null> {
  const [row] = await orm
    .select({ amountCents: payments.amountCents })
    .from(paymentAttempts)
    .innerJoin(payments, eq(payments.id, paymentAttempts.paymentId))
    .where(
      and(
        eq(payments.subscriptionId, subscriptionId),
        inArray(paymentAttempts.status, ['started', 'pending']),
      ),
    );
  return row?.amountCents ?? null;
}

export async function insertAttempt(orm: Orm, attempt: typeof paymentAttempts.$inferInsert): Promise<void> {
  await orm.insert(paymentAttempts).values(attempt);
}

/** The attempt whose result is not known yet. */
export async function findOpenAttempt(orm: Orm, paymentId: string): Promise<AttemptRow | null> {
  const [row] = await orm
    .select()
    .from(paymentAttempts)
    .where(
      and(eq(paymentAttempts.paymentId, paymentId), inArray(paymentAttempts.status, ['started', 'pending'])),
    );
  return row ?? null;
}

export async function findAttempt(orm: Orm, key: string): Promise<AttemptRow | null> {
  const [row] = await orm.select().from(paymentAttempts).where(eq(paymentAttempts.key, key));
  return row ?? null;
}

/** The attempt that led to a charge at the provider. */
export async function findAttemptOfCharge(orm: Orm, chargeId: string): Promise<AttemptRow | null> {
  const [row] = await orm.select().from(paymentAttempts).where(eq(paymentAttempts.chargeId, chargeId));
  return row ?? null;
}

export async function changeAttempt(orm: Orm, key: string, changes: Partial<AttemptRow>): Promise<void> {
  await orm.update(paymentAttempts).set(changes).where(eq(paymentAttempts.key, key));
}

/** The provider's id of the successful charge. */
export async function getChargeId(orm: Orm, paymentId: string): Promise<string> {
  const [row] = await orm
    .select({ chargeId: paymentAttempts.chargeId })
    .from(paymentAttempts)
    .where(and(eq(paymentAttempts.paymentId, paymentId), eq(paymentAttempts.status, 'succeeded')));
  if (!row?.chargeId) throw new Error(`payment ${paymentId} was not charged`);
  return row.chargeId;
}

/** Newest first, with the total count. */
export async function listPayments(
  orm: Orm,
  accountId: string,
  { page, limit }: { page: number; limit: number },
) {
  const isOwn = eq(payments.accountId, accountId);
  const total = await orm.$count(payments, isOwn);
  const rows = await orm
    .select()
    .from(payments)
    .where(isOwn)
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(limit)
    .offset((page - 1) * limit);
  return { rows, total };
}

/**
 * Drops payments that fell due before a given time, with their attempts and refunds, if no document of theirs is left.
 */
export async function dropOldPayments(orm: Orm, before: Date): Promise<void> {
  const old = orm
    .select({ id: payments.id })
    .from(payments)
    .where(
      and(
        lt(payments.dueAt, before),
        sql`not exists (select 1 from invoices where invoices.payment_id = ${payments.id})`,
      ),
    );
  await orm.delete(refunds).where(inArray(refunds.paymentId, old));
  await orm.delete(paymentAttempts).where(inArray(paymentAttempts.paymentId, old));
  await orm.delete(payments).where(inArray(payments.id, old));
}
