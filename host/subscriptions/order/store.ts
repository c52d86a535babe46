import { createHash } from 'node:crypto';
import { and, desc, eq, or, sql } from 'drizzle-orm';
import { mailboxOf } from '#host/accounts/account-limits';
import type { Orm } from '#host/db/client';
import { orders, trials } from '#host/db/subscriptions.tables';
import { type Buyer, vatOf } from '#host/invoices/tax';

export type OrderRow = Omit<typeof orders.$inferSelect, 'buyer'> & { buyer: Buyer };
type NewOrder = Omit<typeof orders.$inferInsert, 'buyer'> & { buyer: Buyer };
interface Contract {
  accountId: string;
  subscriptionId: string;
}
/** Failure of an order whose account was erased before it could be carried out. */
export const ACCOUNT_GONE = 'account_deleted';

type TrialKind = (typeof trials.$inferSelect)['kind'];

/** Stores an order; returns the existing one if there is one with the same key and e-mail. */
export async function putOrder(orm: Orm, order: NewOrder): Promise<OrderRow> {
  const [inserted] = await orm.insert(orders).values(order).onConflictDoNothing().returning();
  if (inserted) return read(inserted);
  const existing = await findOrderByKey(orm, order.email, order.formKey ?? '');
  if (!existing) throw new Error('the order was neither inserted nor found');
  return existing;
}

/** The order created from the form with this key for this e-mail. */
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

/** The order that started a contract of an account, whether its current one or an earlier one. */
export async function getOrderOf(orm: Orm, contract: Contract): Promise<OrderRow> {
  const [row] = await orm.select().from(orders).where(isOrderOf(contract));
  if (!row) throw new Error(`no order of contract ${contract.subscriptionId}`);
  return read(row);
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

/** Orders without French VAT whose VAT number no register confirmed, newest first. */
export async function listUncheckedVat(orm: Orm, limit: number): Promise<OrderRow[]> {
  const { buyer } = orders;
  const rows = await orm
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.status, 'complete'),
        sql`${buyer}->>'vatNumber' <> '' and ${buyer}#>>'{vatCheck,result}' is distinct from 'valid'`,
      ),
    )
    .orderBy(desc(orders.createdAt));
  const unchecked = rows.map(read).filter((order) => vatOf(order.buyer).tax === 'reverse_charge');
  return unchecked.slice(0, limit);
}

/** How many orders became contracts of an account. */
export async function countOrdersOf(orm: Orm, ownerId: string): Promise<number> {
  return orm.$count(orders, eq(orders.ownerId, ownerId));
}

/** How many orders of an account were carried out. */
export async function countContractsOf(orm: Orm, ownerId: string): Promise<number> {
  return orm.$count(orders, and(eq(orders.ownerId, ownerId), eq(orders.status, 'complete')));
}

export async function changeOrder(
  orm: Orm,
  id: string,
  changes: Partial<Omit<OrderRow, 'buyer'>>,
): Promise<void> {
  await orm.update(orders).set(changes).where(eq(orders.id, id));
}

/** Ends the order of a contract that was replaced before anything was paid for it. */
export async function failReplacedOrder(orm: Orm, contract: Contract): Promise<void> {
  await orm
    .update(orders)
    .set({ status: 'failed', failure: 'replaced' })
    .where(and(isOrderOf(contract), eq(orders.status, 'incomplete')));
}

function isOrderOf({ accountId, subscriptionId }: Contract) {
  return and(eq(orders.ownerId, accountId), eq(orders.subscriptionId, subscriptionId));
}

/** Ends the account's orders that are still open; returns their provider customers. */
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

/** One mark per mailbox: variants of an address with other tags or dots share one trial. */
export function trialDigest(email: string): string {
  return createHash('sha256')
    .update(`trial:${mailboxOf(email)}`)
    .digest('hex');
}

/** Whether a mailbox is marked; includes old marks, which kept the dots that Gmail ignores. */
export async function isOfferUsedByMailbox(
  orm: Orm,
  kind: 'email' | 'money_back',
  email: string,
): Promise<boolean> {
  const [local = '', domain = ''] = email.trim().toLowerCase().split('@');
  const dotted = createHash('sha256')
    .update(`trial:${local.replace(/\+.*/, '')}@${domain}`)
    .digest('hex');
  return (await isOfferUsed(orm, kind, trialDigest(email))) || isOfferUsed(orm, kind, dotted);
}

export async function isOfferUsed(orm: Orm, kind: TrialKind, hash: string): Promise<boolean> {
  const found = await orm
    .select({ at: trials.at })
    .from(trials)
    .where(and(eq(trials.kind, kind), eq(trials.hash, hash)));
  return found.length > 0;
}

/** Removes a mark that someone else got by mistake. */
export async function clearOfferUse(orm: Orm, kind: TrialKind, hash: string): Promise<void> {
  await orm.delete(trials).where(and(eq(trials.kind, kind), eq(trials.hash, hash)));
}

/** Marks something as used; false if it was already. Racing calls wait for each other. */
export async function markOfferUsed(orm: Orm, kind: TrialKind, hash: string, at: Date): Promise<boolean> {
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
