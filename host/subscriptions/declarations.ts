import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { cancelContract } from '#contract/contract-end';
import { findAccount, findAccountByEmail } from '#host/accounts/accounts.store';
import type { Orm } from '#host/db/client';
import { declarations } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';
import { findInvoice } from '#host/invoices/invoices.store';
import { momentText, planText } from '#host/invoices/wording';
import { mailOwner, mailTo, manageUrl } from './billing-mails';
import { cancel } from './changes';
import { paidUntil } from './ending';
import { findOrder, findOrderByReference, listContracts, type OrderRow } from './orders.store';
import { bookStep, type Step } from './steps';
import { findSubscription, isLive, lockSubscription, type SubscriptionRow } from './subscriptions.store';
import { type Outcome, withdraw } from './withdrawal';

type DeclarationRow = typeof declarations.$inferSelect;
export type DeclarationKind = DeclarationRow['kind'];
type Body = z.output<typeof cancelContract.body>;

/**
 * Keeps a declaration and mails its receipt in one transaction. Whether a contract belongs to it is found out later, by
 * `runDeclaration`: neither the answer nor its time tells. Answers when it was received, the first time.
 */
export async function declare(
  deps: Pick<Deps, 'db'>,
  kind: DeclarationKind,
  { name, email, reference, locale, key }: Body,
  now: Date,
): Promise<Date> {
  return deps.db.orm.transaction(async (transaction) => {
    const id = randomUUID();
    const formKey = key ?? id;
    const declaration = { id, kind, formKey, name, email, reference, locale, receivedAt: now };
    const made = await transaction
      .insert(declarations)
      .values(declaration)
      .onConflictDoNothing()
      .returning({ id: declarations.id });
    if (made.length === 0) return firstReceived(transaction, declaration);
    const values = () => ({
      receivedAt: momentText(now, locale),
      name,
      email,
      reference: reference || '–',
    });
    const template = `billing-mail.${kind}_received` as const;
    await mailTo(transaction, { email, locale }, { template, values, dedupeKey: `declared:${id}` }, now);
    await bookStep(transaction, { kind: 'declaration', subject: id, key: `declaration:${id}`, dueAt: now });
    return now;
  });
}

async function firstReceived(
  orm: Orm,
  { kind, formKey, email, receivedAt }: Pick<DeclarationRow, 'kind' | 'formKey' | 'email' | 'receivedAt'>,
): Promise<Date> {
  const [before] = await orm
    .select({ receivedAt: declarations.receivedAt })
    .from(declarations)
    .where(
      and(
        eq(declarations.kind, kind),
        eq(sql`lower(${declarations.email})`, email.toLowerCase()),
        eq(declarations.formKey, formKey ?? ''),
      ),
    );
  return before?.receivedAt ?? receivedAt;
}

/** Finds the contract and does what was declared; a declaration that fits no contract is answered with a question. */
export async function runDeclaration(deps: Deps, step: Step, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    const [declaration] = await transaction
      .select()
      .from(declarations)
      .where(eq(declarations.id, step.subject))
      .for('update');
    if (!declaration || declaration.outcome) return;
    const found = await findContract(transaction, declaration);
    const subscription = found && (await lockSubscription(transaction, found.accountId));
    const isSame = subscription && subscription.id === found.id;
    const outcome = isSame
      ? await act(transaction, deps, declaration, subscription, now)
      : await ask(transaction, declaration, now);
    await transaction
      .update(declarations)
      .set({ outcome, subscriptionId: isSame ? subscription.id : null })
      .where(eq(declarations.id, declaration.id));
  });
}

async function act(
  orm: Orm,
  deps: Deps,
  { kind, receivedAt }: DeclarationRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<Outcome> {
  const outcome =
    kind !== 'cancel'
      ? await withdraw(orm, deps, subscription, { kind, receivedAt }, now)
      : isLive(subscription)
        ? 'done'
        : 'nothing_to_do';
  if (kind === 'cancel' && outcome === 'done') await cancel(orm, deps, subscription, now);
  if (outcome === 'nothing_to_do') await tellEnded(orm, deps, subscription, now);
  return outcome;
}

async function tellEnded(orm: Orm, deps: Deps, subscription: SubscriptionRow, now: Date): Promise<void> {
  const { accountId, id, plan, endedAt } = subscription;
  const mail = {
    template: 'billing-mail.contract_ended' as const,
    values: (locale: OrderRow['locale']) => ({
      plan: planText(plan, locale),
      endAt: momentText(endedAt ?? paidUntil(subscription), locale),
      actionUrl: manageUrl(deps),
    }),
    dedupeKey: `ended-already:${id}:${now.toISOString()}`,
  };
  await mailOwner(orm, accountId, mail, now);
}

async function ask(orm: Orm, { id, email, locale, receivedAt }: DeclarationRow, now: Date) {
  const values = () => ({ receivedAt: momentText(receivedAt, locale) });
  const mail = {
    template: 'billing-mail.declaration_unmatched' as const,
    values,
    dedupeKey: `unmatched:${id}`,
  };
  await mailTo(orm, { email, locale }, mail, now);
  return 'unmatched' as const;
}

/**
 * The contract that is meant: two of e-mail, name and reference must fit. An e-mail address alone is known to too many
 * people to end someone's contract with it.
 */
async function findContract(orm: Orm, declaration: DeclarationRow): Promise<SubscriptionRow | null> {
  const referred = await findReferred(orm, declaration.reference);
  const account = await findAccountByEmail(orm, declaration.email);
  const present = account && (await findSubscription(orm, account.id));
  const byAccount = present?.orderId ? await findOrder(orm, present.orderId) : null;
  const byEmail = [...(byAccount ? [byAccount] : []), ...(await listContracts(orm, declaration.email))];
  const isReferred = byEmail.find((order) => order.id === referred?.id);
  const isNamed = await findNamed(orm, [...byEmail, ...(referred ? [referred] : [])], declaration.name);
  const order = isReferred ?? isNamed;
  if (!order?.ownerId) return null;
  const subscription = await findSubscription(orm, order.ownerId);
  return subscription?.id === order.subscriptionId ? subscription : null;
}

/** The order with this reference, or the one behind the invoice with this number. */
async function findReferred(orm: Orm, reference: string): Promise<OrderRow | null> {
  const written = reference.trim().toUpperCase();
  if (!written) return null;
  const invoice = await findInvoice(orm, written);
  return findOrderByReference(orm, invoice?.reference ?? written);
}

async function findNamed(orm: Orm, candidates: OrderRow[], name: string): Promise<OrderRow | null> {
  for (const order of candidates) {
    const account = order.ownerId ? await findAccount(orm, order.ownerId) : null;
    const names = [order.buyer.name, order.buyer.company, `${account?.firstName} ${account?.lastName}`];
    if (names.some((known) => isSameName(known, name))) return order;
  }
  return null;
}

/** The same words in whatever order, letter case and accents. */
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
