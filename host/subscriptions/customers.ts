import { findAccount } from '#host/accounts/accounts.store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findMethod } from '#host/payments/payments.store';
import { endDeclarationLinks } from './declarations.store';
import { enqueueJob, type Job } from './jobs';
import { transferTrial } from './trials';

/** When an account's new address was confirmed: its trial stays used up, links mailed to the old one end, the payment provider is told. */
export async function followNewEmail(
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

/** Tells the provider the address as it is now. */
export async function updateCustomerEmail(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  job: Job,
): Promise<void> {
  const account = await findAccount(db.orm, job.subject);
  const method = await findMethod(db.orm, job.subject);
  if (account && method) await payments.changeEmail(method.customerId, account.email);
}
