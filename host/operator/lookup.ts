import { withAsciiDomain } from '#contract/account-fields';
import { Id } from '#contract/call';
import { listAuditEntries } from '#host/accounts/audit-log';
import { type AccountRow, findAccount, findAccountByEmail } from '#host/accounts/store';
import { findCodeBySlug, type OperatedCode, readHost } from '#host/codes/blocks/blocking';
import { readSlug } from '#host/codes/code/slugs';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findInvoice, type InvoiceRow } from '#host/invoices/store';
import { listMailsOf } from '#host/mail/store';
import { listLiveSessions } from '#host/sign-in/sessions';
import { exportPurchases } from '#host/subscriptions/contract/purchase-export';
import { findSubscription } from '#host/subscriptions/contract/store';
import { findOrderByReference } from '#host/subscriptions/order/store';
import { listTickets } from '#host/tickets/store';
import { notFound } from './command-error';

const LIST_LIMIT = 20;

/** Finds an account by id, e-mail address, invoice or credit note number, order reference or short URL of a code. */
export async function getAccount(orm: Orm, who: string): Promise<AccountRow> {
  const id = await accountIdOf(orm, who);
  const account = id === null ? null : await findAccount(orm, id);
  return account ?? notFound(`no account was found for ${who}; it may have been erased`);
}

async function accountIdOf(orm: Orm, who: string): Promise<string | null> {
  if (Id.safeParse(who).success) return who;
  if (who.includes('@')) return (await findAccountByEmail(orm, withAsciiDomain(who)))?.id ?? null;
  const invoice = await findInvoice(orm, who.toUpperCase());
  if (invoice) return invoice.accountId;
  const order = await findOrderByReference(orm, who.toUpperCase());
  if (order) return order.ownerId ?? order.accountId;
  const slug = readSlug(slugIn(who));
  return slug === null ? null : ((await findCodeBySlug(orm, slug))?.accountId ?? null);
}

/** Finds a code by its slug or short URL. */
export async function getCode(orm: Orm, address: string): Promise<OperatedCode> {
  const slug = readSlug(slugIn(address));
  const code = slug === null ? null : await findCodeBySlug(orm, slug);
  return code ?? notFound(`there is no code ${address}`);
}

export async function getInvoice(orm: Orm, number: string): Promise<InvoiceRow> {
  const invoice = await findInvoice(orm, number.toUpperCase());
  return invoice ?? notFound(`there is no invoice ${number}`);
}

/** What the audit log has of something named in any of the ways that commands take: an id, a number or a host. */
export async function getTopic(orm: Orm, named: string): Promise<string> {
  if (Id.safeParse(named).success) return named.toLowerCase();
  if (named.includes('@')) return (await getAccount(orm, named)).id;
  const slug = readSlug(slugIn(named));
  const code = slug === null ? null : await findCodeBySlug(orm, slug);
  const invoice = code ? null : await findInvoice(orm, named.toUpperCase());
  return code?.id ?? invoice?.number ?? readHost(named) ?? named;
}

function slugIn(address: string): string {
  return /\/[rl]\/([\w-]+)/i.exec(address)?.[1] ?? address;
}

/** What an operator needs to help the owner of an account, without the contents of codes and without secrets. */
export async function showAccount({ db, clock }: Pick<Deps, 'db' | 'clock'>, account: AccountRow) {
  const { orm } = db;
  const [subscription, purchases, sessions, mails, tickets, auditLog] = [
    await findSubscription(orm, account.id),
    await exportPurchases(orm, account),
    await listLiveSessions(orm, account.id, clock.now()),
    await listMailsOf(orm, account.email, LIST_LIMIT),
    await listTickets(orm, account.email),
    await listAuditEntries(orm, account.id, LIST_LIMIT),
  ];
  return {
    id: account.id,
    email: account.email,
    name: `${account.firstName} ${account.lastName}`.trim(),
    locale: account.locale,
    createdAt: account.createdAt,
    lastLoginAt: account.lastLoginAt,
    hasPassword: account.passwordHash !== null,
    codes: account.codeCount,
    subscription: subscription && {
      plan: subscription.plan,
      status: subscription.status,
      accessUntil: subscription.accessUntil,
      cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    },
    payments: purchases.transactions.map(({ id, status, amountCents, refundedCents, paidAt, documents }) => ({
      id,
      status,
      amountCents,
      refundedCents,
      paidAt,
      documents: documents.join(' '),
    })),
    sessions: sessions.length,
    mails,
    tickets: tickets.length,
    auditLog: auditLog.map(({ at, operator, act, subject, reason }) => ({
      at,
      operator,
      act,
      subject,
      reason,
    })),
  };
}
