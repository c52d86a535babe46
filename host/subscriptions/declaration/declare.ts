import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { cancelContract } from '#contract/contract-end';
import type { Locale } from '#contract/locales';
import { findAccount, findAccountByEmail } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { declarations } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';
import { formKeyOf } from '#host/http/form-key';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { findInvoice } from '#host/invoices/store';
import { dateTimeText, fillText } from '#host/invoices/wording';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { BILLING_TEXTS } from '#host/mail/texts';
import { mailTo } from '#host/subscriptions/billing-mails';
import { addHours } from '#host/subscriptions/calendar';
import { findSubscription, lockSubscription, type SubscriptionRow } from '#host/subscriptions/contract/store';
import { findRecipient } from '#host/subscriptions/customers';
import { OWNER_MAILS_PER_CONTRACT } from '#host/subscriptions/limits';
import {
  findOrder,
  findOrderByReference,
  listContracts,
  type OrderRow,
} from '#host/subscriptions/order/store';
import {
  changeDeclaration,
  type DeclarationKind,
  type DeclarationRow,
  findDeclaration,
  listWaiting,
  lockDeclaration,
} from './store';
import { applyDeclaration, storeWaitingDeclaration, wouldHaveEffect } from './waiting';

interface DeclarationRequest {
  kind: DeclarationKind;
  body: z.output<typeof cancelContract.body>;
  clientIp: string;
  /** The account that was signed in when it was made. */
  callerId: string | null;
}

/**
 * Stores a declaration and mails its receipt in one transaction; only customers' addresses get what was typed repeated.
 * `runDeclaration` later finds out whether it matches a contract, so neither the response nor its timing reveals it.
 * Returns when it was first received.
 */
export async function declare(
  deps: Pick<Deps, 'db' | 'settings'>,
  { kind, body, clientIp, callerId }: DeclarationRequest,
  now: Date,
): Promise<Date> {
  const { name, email, reference, locale, key } = body;
  return deps.db.orm.transaction(async (transaction) => {
    const id = randomUUID();
    const formKey = key ? formKeyOf(key, [name, reference]) : id;
    const declaration = { id, kind, formKey, name, email, reference, locale, callerId, receivedAt: now };
    const inserted = await transaction
      .insert(declarations)
      .values(declaration)
      .onConflictDoNothing()
      .returning({ id: declarations.id });
    if (inserted.length === 0) return findFirstReceived(transaction, declaration);
    const { isCustomer, dueAt } = await findRecipient(transaction, { to: email, clientIp }, now);
    const { declared_details, declared_withheld } = BILLING_TEXTS[locale];
    const timeZone =
      callerId === null ? null : ((await findAccount(transaction, callerId))?.timeZone ?? null);
    const values = (_: Locale, zone: string) => ({
      receivedAt: dateTimeText(now, locale, zone),
      details: isCustomer
        ? fillText(declared_details, { name, email, reference: reference || '–' })
        : declared_withheld,
      hours: deps.settings.plans.objectionHours,
    });
    const template = `billing-mail.${kind}_received` as const;
    const mail = { template, values, dueAt, dedupeKey: `declared:${id}` };
    await mailTo(transaction, { email, locale, timeZone }, mail, now);
    await enqueueJob(transaction, {
      kind: 'declaration',
      subject: id,
      dedupeKey: `declaration:${id}`,
      dueAt: now,
    });
    return now;
  });
}

async function findFirstReceived(
  orm: Orm,
  { kind, formKey, email, receivedAt }: Pick<DeclarationRow, 'kind' | 'formKey' | 'email' | 'receivedAt'>,
): Promise<Date> {
  const [existing] = await orm
    .select({ receivedAt: declarations.receivedAt })
    .from(declarations)
    .where(
      and(
        eq(declarations.kind, kind),
        eq(sql`lower(${declarations.email})`, email.toLowerCase()),
        eq(declarations.formKey, formKey ?? ''),
      ),
    );
  return existing?.receivedAt ?? receivedAt;
}

/**
 * Finds the contract and does what was declared, or asks its owner if nothing proves who declared it; a declaration
 * that matches no contract gets a mail that asks for details.
 */
export async function runDeclaration(deps: Deps, job: Job, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    const unlocked = await findDeclaration(transaction, job.subject);
    if (!unlocked || unlocked.outcome) return;
    const found = await findDeclaredContract(transaction, unlocked);
    const locked = found && (await lockSubscription(transaction, found.subscription.accountId));
    const declaration = await lockDeclaration(transaction, unlocked.id);
    if (declaration.outcome) return;
    if (!found || !locked || locked.id !== found.subscription.id) {
      return mailUnmatched(transaction, declaration, now);
    }
    await changeDeclaration(transaction, declaration.id, { subscriptionId: locked.id, proof: found.proof });
    if (found.proof) return applyDeclaration(transaction, deps, declaration, locked, now);
    await askOwner(transaction, deps, declaration, locked, now);
  });
}

/**
 * Only the first declaration of each kind waits for a contract. None takes effect before its owner can be told: the
 * objection period begins when the mail is written.
 */
async function askOwner(
  orm: Orm,
  deps: Deps,
  declaration: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const { id, kind } = declaration;
  const waiting = await listWaiting(orm, subscription.id);
  if (waiting.some((earlier) => earlier.kind === kind)) {
    return changeDeclaration(orm, id, { outcome: 'repeated' });
  }
  if (!(await tryConsumeRateLimit(orm, OWNER_MAILS_PER_CONTRACT, subscription.id, now))) {
    const dueAt = addHours(now, 1);
    const dedupeKey = `declaration:${id}:${dueAt.toISOString()}`;
    return enqueueJob(orm, { kind: 'declaration', subject: id, dedupeKey, dueAt });
  }
  if (await wouldHaveEffect(orm, deps, declaration, subscription)) {
    return storeWaitingDeclaration(orm, deps, declaration, subscription, now);
  }
  await applyDeclaration(orm, deps, declaration, subscription, now);
}

async function mailUnmatched(
  orm: Orm,
  { id, email, locale, receivedAt }: DeclarationRow,
  now: Date,
): Promise<void> {
  const values = () => ({ receivedAt: dateTimeText(receivedAt, locale) });
  const { dueAt } = await findRecipient(orm, { to: email }, now);
  const mail = {
    template: 'billing-mail.declaration_unmatched' as const,
    values,
    dueAt,
    dedupeKey: `unmatched:${id}`,
  };
  await mailTo(orm, { email, locale }, mail, now);
  await changeDeclaration(orm, id, { outcome: 'unmatched' });
}

interface DeclaredContract {
  subscription: SubscriptionRow;
  /**
   * What proves that the declaration comes from the owner. An order reference has 50 random bits and is only sent to
   * the owner. Invoice numbers are sequential by law: they identify a contract but prove nothing.
   */
  proof: 'session' | 'reference' | null;
}

/**
 * The contract that is meant: two of e-mail, name and reference must match, or the owner is signed in. An e-mail
 * address alone is known to too many people to bother its owner with a declaration.
 */
async function findDeclaredContract(orm: Orm, declaration: DeclarationRow): Promise<DeclaredContract | null> {
  const { callerId, email, name } = declaration;
  const account = await findAccountByEmail(orm, email);
  const current = account && (await findSubscription(orm, account.id));
  if (current?.orderId && account?.id === callerId) return { subscription: current, proof: 'session' };
  const enteredReference = declaration.reference.trim().toUpperCase();
  const byReference = await findByReference(orm, enteredReference);
  const byAccount = current?.orderId ? await findOrder(orm, current.orderId) : null;
  const byEmail = [...(byAccount ? [byAccount] : []), ...(await listContracts(orm, email))];
  const matched = byEmail.find((order) => order.id === byReference?.id);
  const order = matched ?? (await findByName(orm, [...byEmail, ...(byReference ? [byReference] : [])], name));
  if (!order?.ownerId) return null;
  const subscription = await findSubscription(orm, order.ownerId);
  if (!subscription || subscription.id !== order.subscriptionId) return null;
  if (subscription.accountId === callerId) return { subscription, proof: 'session' };
  return { subscription, proof: matched?.reference === enteredReference ? 'reference' : null };
}

/** The order with this reference, or the one of the invoice with this number. */
async function findByReference(orm: Orm, enteredReference: string): Promise<OrderRow | null> {
  if (!enteredReference) return null;
  const invoice = await findInvoice(orm, enteredReference);
  return findOrderByReference(orm, invoice?.reference ?? enteredReference);
}

async function findByName(orm: Orm, candidates: OrderRow[], name: string): Promise<OrderRow | null> {
  for (const order of candidates) {
    const account = order.ownerId ? await findAccount(orm, order.ownerId) : null;
    const names = [order.buyer.name, order.buyer.company, `${account?.firstName} ${account?.lastName}`];
    if (names.some((known) => isSameName(known, name))) return order;
  }
  return null;
}

/** Whether both have the same words, regardless of order, letter case and accents. */
function isSameName(one: string, other: string): boolean {
  const words = (name: string) =>
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.sort()
      .join(' ') ?? '';
  return words(one) !== '' && words(one) === words(other);
}
