import { and, eq, exists, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { findAccount } from '#host/accounts/store';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { orders } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { strangerMailDueAt } from '#host/mail/strangers';
import { findMethod } from '#host/payments/store';
import { findContract } from './contract/store';
import { endDeclarationLinks } from './declaration/store';
import { findOrder } from './order/store';
import { transferTrial } from './order/trials';

/**
 * Whether an address that somebody typed is a customer's, and when a mail may go there: to customers at once, to anyone
 * else at a limited rate. Takes the same time for both.
 */
export async function findRecipient(
  orm: Orm,
  { to, clientIp }: { to: string; clientIp?: string },
  now: Date,
): Promise<{ isCustomer: boolean; dueAt: Date }> {
  const isCustomer = await isCustomerAddress(orm, to);
  const dueAt = await strangerMailDueAt(orm, { to, clientIp }, now);
  return { isCustomer, dueAt: isCustomer ? now : dueAt };
}

/** Whether an order with this address became a contract, or an account with it has a contract or a password. */
async function isCustomerAddress(orm: Orm, email: string): Promise<boolean> {
  const isContract = eq(orders.status, 'complete');
  const isSameAddress = (column: typeof orders.email | typeof accounts.email) =>
    eq(sql`lower(${column})`, email.toLowerCase());
  const ordered = orm
    .select({ id: orders.id })
    .from(orders)
    .where(and(isSameAddress(orders.email), isContract));
  const owned = orm
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.ownerId, accounts.id), isContract));
  const inUse = orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(
        isSameAddress(accounts.email),
        isNull(accounts.deletedAt),
        or(isNotNull(accounts.passwordHash), exists(owned)),
      ),
    );
  const [row] = await readRows<{ known: boolean }>(
    orm,
    sql`select ${exists(ordered)} or ${exists(inUse)} as known`,
  );
  return row?.known === true;
}

/**
 * After a new address is confirmed: its trial counts as used, links sent to the old one end, the provider is updated.
 */
export async function applyNewEmail(
  orm: Orm,
  account: { id: string; email: string },
  newEmail: string,
  now: Date,
): Promise<void> {
  await transferTrial(orm, account, newEmail, now);
  await endDeclarationLinks(orm, account.id);
  if (!(await findMethod(orm, account.id))) return;
  const dedupeKey = `customer-email:${account.id}:${now.toISOString()}`;
  await enqueueJob(orm, { kind: 'customer_email', subject: account.id, dedupeKey, dueAt: now });
}

/** Tells the provider which card an order is paid with, unless it was replaced by a later order or another customer. */
export async function preferOrderedCard(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  job: Job,
): Promise<void> {
  const order = await findOrder(db.orm, job.subject);
  if (!order?.setupId || !order.subscriptionId) return;
  const contract = await findContract(db.orm, order.subscriptionId);
  const method = contract && (await findMethod(db.orm, contract.accountId));
  const { card, customerId } = await payments.getSetup(order.setupId);
  if (card && method?.customerId === customerId) await payments.preferCard(customerId, card.methodId);
}

/** Tells the provider the current address. */
export async function updateCustomerEmail(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  job: Job,
): Promise<void> {
  const account = await findAccount(db.orm, job.subject);
  const method = await findMethod(db.orm, job.subject);
  if (account && method) await payments.changeEmail(method.customerId, account.email);
}
