import { findAccount, findAccountByEmail } from '#host/accounts/accounts.store';
import type { Orm } from '#host/db/client';
import { findInvoice } from '#host/invoices/invoices.store';
import type { DeclarationRow } from './declarations.store';
import { findOrder, findOrderByReference, listContracts, type OrderRow } from './orders.store';
import { findSubscription, type SubscriptionRow } from './subscriptions.store';

interface DeclaredContract {
  subscription: SubscriptionRow;
  /**
   * What shows that the owner declares. The reference of an order has 50 random bits and goes to the owner alone. Numbers
   * of invoices follow on each other by law: they find a contract and prove nothing.
   */
  proof: 'session' | 'reference' | null;
}

/**
 * The contract that is meant: two of e-mail, name and reference must fit, or the owner is signed in. An e-mail address
 * alone is known to too many people to bother its owner with a declaration.
 */
export async function findDeclaredContract(
  orm: Orm,
  declaration: DeclarationRow,
): Promise<DeclaredContract | null> {
  const { callerId, email, name } = declaration;
  const account = await findAccountByEmail(orm, email);
  const present = account && (await findSubscription(orm, account.id));
  if (present?.orderId && account?.id === callerId) return { subscription: present, proof: 'session' };
  const written = declaration.reference.trim().toUpperCase();
  const referred = await findReferred(orm, written);
  const byAccount = present?.orderId ? await findOrder(orm, present.orderId) : null;
  const byEmail = [...(byAccount ? [byAccount] : []), ...(await listContracts(orm, email))];
  const isReferred = byEmail.find((order) => order.id === referred?.id);
  const order = isReferred ?? (await findNamed(orm, [...byEmail, ...(referred ? [referred] : [])], name));
  if (!order?.ownerId) return null;
  const subscription = await findSubscription(orm, order.ownerId);
  if (!subscription || subscription.id !== order.subscriptionId) return null;
  if (subscription.accountId === callerId) return { subscription, proof: 'session' };
  return { subscription, proof: isReferred?.reference === written ? 'reference' : null };
}

/** The order with this reference, or the one behind the invoice with this number. */
async function findReferred(orm: Orm, written: string): Promise<OrderRow | null> {
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
