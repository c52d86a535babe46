import { createHash } from 'node:crypto';
import { and, count, desc, eq, or, sql } from 'drizzle-orm';
import { mailboxOf } from '#host/accounts/account-limits';
import type { Orm } from '#host/db/client';
import { orders, trials } from '#host/db/subscriptions.tables';
import type { Buyer } from '#host/invoices/tax';

export type OrderRow = Omit<typeof orders.$inferSelect, 'buyer'> & { buyer: Buyer };
type NewOrder = Omit<typeof orders.$inferInsert, 'buyer'> & { buyer: Buyer };
/** Failure of an order whose account was erased before it was carried out. */
export const ACCOUNT_GONE = 'account_deleted';

type TrialKind = (typeof trials.$inferSelect)['kind'];

/** Writes an order; the one with the same key and e-mail where there is one already. */
export async function putOrder(orm: Orm, order: NewOrder): Promise<OrderRow> {
  const [made] = await orm.insert(orders).values(order).onConflictDoNothing().returning();
  if (made) return read(made);
  const before = await findOrderByKey(orm, order.email, order.formKey ?? '');
  if (!before) throw new Error('an order was neither made nor found');
  return before;
}

/** The order that a form with this key made for this e-mail. */
export async function findOrderByKey(orm: Orm, email: string, formKey: string): Promise<OrderRow | null> {
  const [row] = await orm
    .select()
    .from(orders)
    .where(and(eq(sql`lower(${orders.email})`, email.toLowerCase()), eq(orders.formKey, formKey)));
  return row ? read(row) : null;
}

export async function findOrder(orm: Orm, id: string): Promise<OrderRow | null> {
  const [row] = await orm.select().from(orders).where(eq(orders.id, id));
  return row ? read(row) : null;
}

export async function getOrder(orm: Orm, id: string | null): Promise<OrderRow> {
  const order = id ? await findOrder(orm, id) : null;
  if (!order) throw new Error(`no order ${id}`);
  return order;
}

export async function lockOrder(orm: Orm, id: string): Promise<OrderRow> {
  const [row] = await orm.select().from(orders).where(eq(orders.id, id)).for('update');
  if (!row) throw new Error(`no order ${id}`);
  return read(row);
}

export async function findOrderByIntent(orm: Orm, paymentIntent: string): Promise<OrderRow | null> {
  const [row] = await orm.select().from(orders).where(eq(orders.paymentIntent, paymentIntent));
  return row ? read(row) : null;
}

export async function findOrderByReference(orm: Orm, reference: string): Promise<OrderRow | null> {
  const [row] = await orm.select().from(orders).where(eq(orders.reference, reference));
  return row ? read(row) : null;
}

export async function findOrderByToken(orm: Orm, tokenHash: string): Promise<OrderRow | null> {
  const [row] = await orm.select().from(orders).where(eq(orders.tokenHash, tokenHash));
  return row ? read(row) : null;
}

/** Orders with this e-mail that wait for the owner of the address, oldest first. */
export async function listHeldOrders(orm: Orm, email: string): Promise<OrderRow[]> {
  const rows = await orm
    .select()
    .from(orders)
    .where(and(eq(sql`lower(${orders.email})`, email.toLowerCase()), eq(orders.status, 'unconfirmed')))
    .orderBy(orders.createdAt)
    .limit(20);
  return rows.map(read);
}

export async function findOrderBySetup(orm: Orm, setupId: string): Promise<OrderRow | null> {
  const [row] = await orm.select().from(orders).where(eq(orders.setupId, setupId));
  return row ? read(row) : null;
}

/** Orders with this e-mail that became a contract, newest first. */
export async function listContracts(orm: Orm, email: string): Promise<OrderRow[]> {
  const rows = await orm
    .select()
    .from(orders)
    .where(and(eq(sql`lower(${orders.email})`, email.toLowerCase()), eq(orders.status, 'complete')))
    .orderBy(desc(orders.createdAt))
    .limit(20);
  return rows.map(read);
}

/** How many orders became contracts of an account. */
export async function countOrdersOf(orm: Orm, ownerId: string): Promise<number> {
  const [found] = await orm.select({ count: count() }).from(orders).where(eq(orders.ownerId, ownerId));
  return found?.count ?? 0;
}

/** How many orders of an account were carried out. */
export async function countContractsOf(orm: Orm, ownerId: string): Promise<number> {
  const [found] = await orm
    .select({ count: count() })
    .from(orders)
    .where(and(eq(orders.ownerId, ownerId), eq(orders.status, 'complete')));
  return found?.count ?? 0;
}

export async function changeOrder(
  orm: Orm,
  id: string,
  changes: Partial<Omit<OrderRow, 'buyer'>>,
): Promise<void> {
  await orm.update(orders).set(changes).where(eq(orders.id, id));
}

/** Ends what an account ordered and nobody carried out yet; answers the provider's customers of those orders. */
export async function failOpenOrders(orm: Orm, accountId: string): Promise<string[]> {
  const failed = await orm
    .update(orders)
    .set({ status: 'failed', failure: ACCOUNT_GONE })
    .where(
      and(
        eq(orders.status, 'incomplete'),
        or(eq(orders.accountId, accountId), eq(orders.ownerId, accountId)),
      ),
    )
    .returning({ customerId: orders.customerId });
  return failed.flatMap(({ customerId }) => customerId ?? []);
}

/** One mark per mailbox: whoever writes the address with another tag, or other dots, has had the trial. */
export function trialDigest(email: string): string {
  return createHash('sha256')
    .update(`trial:${mailboxOf(email)}`)
    .digest('hex');
}

/** Whether a mailbox was marked; also before the dots of some providers were left out of marks. */
export async function wasMailboxUsed(
  orm: Orm,
  kind: 'email' | 'money_back',
  email: string,
): Promise<boolean> {
  const [local = '', domain = ''] = email.trim().toLowerCase().split('@');
  const dotted = createHash('sha256')
    .update(`trial:${local.replace(/\+.*/, '')}@${domain}`)
    .digest('hex');
  return (await wasUsed(orm, kind, trialDigest(email))) || wasUsed(orm, kind, dotted);
}

export async function wasUsed(orm: Orm, kind: TrialKind, hash: string): Promise<boolean> {
  const found = await orm
    .select({ at: trials.at })
    .from(trials)
    .where(and(eq(trials.kind, kind), eq(trials.hash, hash)));
  return found.length > 0;
}

/** Takes a mark back that somebody else got by mistake. */
export async function unmarkUsed(orm: Orm, kind: TrialKind, hash: string): Promise<void> {
  await orm.delete(trials).where(and(eq(trials.kind, kind), eq(trials.hash, hash)));
}

/** Marks something as used; false when it was before. Racing calls wait for each other. */
export async function markUsed(orm: Orm, kind: TrialKind, hash: string, at: Date): Promise<boolean> {
  const marked = await orm
    .insert(trials)
    .values({ kind, hash, at })
    .onConflictDoNothing()
    .returning({ at: trials.at });
  return marked.length > 0;
}

function read(row: typeof orders.$inferSelect): OrderRow {
  return { ...row, buyer: row.buyer as Buyer };
}
