import { findAccount } from '#host/accounts/accounts.store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findMethod } from '#host/payments/payments.store';
import { endDeclarationLinks } from './declarations.store';
import { enqueueJob, type Job } from './jobs';
import { findOrder } from './orders.store';
import { findContract } from './subscriptions.store';
import { transferTrial } from './trials';

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
