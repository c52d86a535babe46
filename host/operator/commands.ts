import { Id } from '#contract/call';
import { utcDay } from '#contract/time';
import { listAuditEntries } from '#host/accounts/audit-log';
import { findAccount } from '#host/accounts/store';
import {
  blockTarget,
  listBlockedTargets,
  listCodesTo,
  type OperatedCode,
  readBlocks,
  readHost,
  setCodeBlocked,
  unblockTarget,
} from '#host/codes/blocks/blocking';
import { restoreCode } from '#host/codes/code/deletion';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { enqueueJob } from '#host/jobs/queue';
import { queueMail } from '#host/mail/outbox';
import { retryMail } from '#host/mail/store';
import { getPayment } from '#host/payments/store';
import { eraseAccount } from '#host/privacy/erasure';
import { forgetDevices, listKnownDevices } from '#host/sign-in/known-devices';
import { requestLink } from '#host/sign-in/link-requests';
import { endAllSessions, listLiveSessions } from '#host/sign-in/sessions';
import { requestRefund } from '#host/subscriptions/charge/refunds';
import { lockSubscription } from '#host/subscriptions/contract/store';
import { listUncheckedVat } from '#host/subscriptions/order/store';
import { listNewestTickets, listTickets } from '#host/tickets/store';
import { CommandError, EXIT, notFound, refuse } from './command-error';
import { getAccount, getCode, getInvoice, getTopic, showAccount } from './lookup';

interface CommandInput {
  /** If the command changes something, `deps.db.orm` is a transaction. */
  deps: Deps;
  subject: string;
  reason: string;
  now: Date;
}

interface Outcome {
  /** What is printed. */
  result: unknown;
  /** For the audit log: an id, a number or a host. */
  subject?: string;
  accountId?: string | null;
}

export interface Command {
  /** The argument, as the help shows it. */
  takes: string;
  help: string;
  /** Whether the argument is optional. */
  isOptional?: true;
  /** Whether it changes something, so that it needs a reason and is recorded in the audit log. */
  changes?: true;
  run(request: CommandInput): Promise<Outcome>;
}

const LIST_LIMIT = 50;
/** How many codes a mail lists. */
const MAX_LISTED_CODES = 20;

export const COMMANDS: Record<string, Command> = {
  show: {
    takes: 'WHO',
    help: 'shows an account, by its id, e-mail address, invoice, order or a short address of its codes',
    run: async ({ deps, subject }) => ({
      result: await showAccount(deps, await getAccount(deps.db.orm, subject)),
    }),
  },
  code: {
    takes: 'CODE',
    help: 'shows a code, by its short address',
    run: async ({ deps, subject }) => ({ result: await getCode(deps.db.orm, subject) }),
  },
  tickets: {
    takes: '[WHO]',
    help: 'shows messages of the contact form, the newest first: all, or those of an account',
    isOptional: true,
    run: async ({ deps, subject }) => {
      const { orm } = deps.db;
      if (subject === '') return { result: await listNewestTickets(orm, LIST_LIMIT) };
      return { result: await listTickets(orm, (await getAccount(orm, subject)).email) };
    },
  },
  'audit-log': {
    takes: '[SUBJECT]',
    help: 'shows the changes operators made, newest first: all, or those of a subject or an account',
    isOptional: true,
    run: async ({ deps, subject }) => {
      const { orm } = deps.db;
      const topic = subject === '' ? null : await getTopic(orm, subject);
      return { result: await listAuditEntries(orm, topic, LIST_LIMIT) };
    },
  },
  'blocked-targets': {
    takes: '',
    help: 'shows the hosts that no code leads to',
    isOptional: true,
    run: async ({ deps }) => ({ result: await listBlockedTargets(deps.db.orm) }),
  },
  'unchecked-vat': {
    takes: '',
    help: 'shows orders without French VAT whose VAT number was not confirmed when they were placed, newest first',
    isOptional: true,
    run: async ({ deps }) => {
      const found = await listUncheckedVat(deps.db.orm, LIST_LIMIT);
      return {
        result: found.map(({ reference, createdAt, email, buyer }) => {
          const { company, country, vatNumber } = buyer;
          return { reference, createdAt, email, company, country, vatNumber };
        }),
      };
    },
  },
  'block-code': {
    takes: 'CODE',
    help: 'stops a code; its owner is told the reason by e-mail',
    changes: true,
    run: (request) => changeCode(request, request.now, 'already blocked'),
  },
  'unblock-code': {
    takes: 'CODE',
    help: 'lets a blocked code lead on, unless its target is blocked too; its owner is told if it does',
    changes: true,
    run: (request) => changeCode(request, null, 'not blocked'),
  },
  restore: {
    takes: 'CODE',
    help: 'brings back a code that its owner deleted within the last 30 days; its owner is told',
    changes: true,
    run: async ({ deps, subject, reason, now }) => {
      const code = await getCode(deps.db.orm, subject);
      if (!code.deletedAt) refuse(`${code.slug} is not deleted`);
      if (!(await restoreCode(deps.db.orm, code, now)))
        refuse(`${code.slug} was deleted on ${utcDay(code.deletedAt.getTime())}, and its content is erased`);
      await notifyOwners(deps, [code], { template: 'account-mail.code_restored', reason }, now);
      return outcomeFor(code);
    },
  },
  'block-target': {
    takes: 'HOST',
    help: 'stops all codes that lead to a host or a subdomain of it, those made later too; owners are told',
    changes: true,
    run: (request) =>
      changeTarget(request, async (orm, host) => {
        if (!(await blockTarget(orm, host, request.now))) refuse(`${host} is already blocked`);
      }),
  },
  'unblock-target': {
    takes: 'HOST',
    help: 'lets codes lead to a host again; owners of those that then work are told',
    changes: true,
    run: (request) =>
      changeTarget(request, async (orm, host) => {
        if (!(await unblockTarget(orm, host))) refuse(`${host} is not blocked`);
      }),
  },
  'resend-onboarding': {
    takes: 'WHO',
    help: 'mails a new link to set the account up; whoever did so already is told where to sign in',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const { id, email } = await getAccount(deps.db.orm, subject);
      await requestLink(deps.db.orm, { purpose: 'onboarding', email }, now);
      return { subject: id, accountId: id, result: { account: id } };
    },
  },
  'resend-invoice': {
    takes: 'NUMBER',
    help: 'mails an invoice or a credit note once more',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const { orm } = deps.db;
      const { number, accountId } = await getInvoice(orm, subject);
      await getAccount(orm, accountId);
      const dedupeKey = `document:${number}:${now.toISOString()}`;
      await enqueueJob(orm, { kind: 'document_mail', subject: number, dedupeKey, dueAt: now });
      return { subject: number, accountId, result: { number, account: accountId } };
    },
  },
  'resend-mail': {
    takes: 'MAIL',
    help: 'tries a mail again at once that could not be sent, by its id',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const id = Id.safeParse(subject).data ?? notFound(`${subject} is not the id of a mail`);
      const outcome = await retryMail(deps.db.orm, id, now);
      if (outcome === 'unknown') notFound(`there is no mail ${subject}`);
      if (outcome !== 'retried') {
        refuse(
          `the mail was ${outcome === 'sent' ? 'sent' : 'given up'}, and its content is no longer stored`,
        );
      }
      return { subject, result: { mail: subject } };
    },
  },
  refund: {
    takes: 'INVOICE',
    help: 'pays an invoice back in whole, with a credit note; the contract goes on',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const { orm } = deps.db;
      const invoice = await getInvoice(orm, subject);
      if (invoice.series !== 'F') refuse(`${invoice.number} is a credit note`);
      await lockSubscription(orm, invoice.accountId);
      const payment = await getPayment(orm, invoice.paymentId);
      if (payment.refundedCents > 0) refuse(`${invoice.number} was already refunded, at least in part`);
      if (payment.status !== 'paid') refuse(`${invoice.number} is ${payment.status}`);
      const refund = await requestRefund(orm, deps, payment, { reason: 'goodwill' }, now);
      const { isNew, expectedFrom, expectedUntil } = refund;
      if (!isNew) refuse(`${invoice.number} is already being refunded`);
      const { id, amountCents } = payment;
      const result = { payment: id, invoice: invoice.number, amountCents, expectedFrom, expectedUntil };
      return { subject: invoice.number, accountId: invoice.accountId, result };
    },
  },
  'end-sessions': {
    takes: 'WHO',
    help: 'signs an account out everywhere and forgets the devices that it knows; its API keys and connected programs stay',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const { orm } = deps.db;
      const { id } = await getAccount(orm, subject);
      const sessions = (await listLiveSessions(orm, id, now)).length;
      const devices = (await listKnownDevices(orm, id)).length;
      if (sessions + devices === 0) refuse('the account has no sessions and no known devices');
      await forgetDevices(orm, id);
      await endAllSessions(orm, id, now);
      return { subject: id, accountId: id, result: { account: id, sessions, devices } };
    },
  },
  erase: {
    takes: 'ID',
    help: 'erases an account for good, as its owner can; wants its id, so that none is erased by a typing mistake',
    changes: true,
    run: async ({ deps, subject, now }) => {
      const account = await getAccount(deps.db.orm, subject);
      if (subject !== account.id) {
        throw new CommandError(EXIT.usage, `erase requires the id of the account: ${account.id}`);
      }
      await eraseAccount(deps, account.id, { now, keepsLinks: false });
      return { subject, accountId: subject, result: { account: subject } };
    },
  },
};

async function changeCode(request: CommandInput, blockedAt: Date | null, refusal: string): Promise<Outcome> {
  const code = await getCode(request.deps.db.orm, request.subject);
  if (code.deletedAt) refuse(`${code.slug} was deleted`);
  const changed = await changeBlocks(request, [code], async (orm) => {
    if (!(await setCodeBlocked(orm, code, blockedAt))) refuse(`${code.slug} is ${refusal}`);
    return [{ ...code, blockedAt }];
  });
  return outcomeFor(code, changed);
}

async function changeTarget(
  request: CommandInput,
  change: (orm: Orm, host: string) => Promise<void>,
): Promise<Outcome> {
  const host = readHost(request.subject) ?? refuse(`${request.subject} is not a host name`);
  const codes = await listCodesTo(request.deps.db.orm, host);
  const changed = await changeBlocks(request, codes, async (orm) => {
    await change(orm, host);
    return codes;
  });
  return { subject: host, result: { host, ...changed } };
}

/**
 * Makes a change to what is blocked, which returns the codes as they are then, and tells the owners of those that this
 * stopped or let work again: a code can be blocked in several ways at once. Returns their slugs.
 */
async function changeBlocks(
  { deps, reason, now }: CommandInput,
  codes: OperatedCode[],
  change: (orm: Orm) => Promise<OperatedCode[]>,
) {
  const { orm } = deps.db;
  const before = await readBlocks(orm, codes);
  const changed = await change(orm);
  const after = await readBlocks(orm, changed);
  const blocked = changed.filter(({ id }) => after.has(id) && !before.has(id));
  const unblocked = changed.filter(({ id }) => before.has(id) && !after.has(id));
  await notifyOwners(deps, blocked, { template: 'account-mail.code_blocked', reason }, now);
  await notifyOwners(deps, unblocked, { template: 'account-mail.code_unblocked', reason }, now);
  return { blocked: blocked.map(({ slug }) => slug), unblocked: unblocked.map(({ slug }) => slug) };
}

function outcomeFor({ id, slug, accountId }: OperatedCode, details?: object): Outcome {
  return { subject: id, accountId, result: { code: id, slug, account: accountId, ...details } };
}

/** Queues one mail per account, which lists its codes. */
async function notifyOwners(
  deps: Deps,
  codes: OperatedCode[],
  mail: { template: `account-mail.code_${'blocked' | 'unblocked' | 'restored'}`; reason: string },
  now: Date,
): Promise<void> {
  const { orm } = deps.db;
  for (const accountId of new Set(codes.map((code) => code.accountId))) {
    const slugs = codes.filter((code) => code.accountId === accountId).map(({ slug }) => slug);
    const account = await findAccount(orm, accountId);
    if (!account) continue;
    const listedCodes = [
      ...slugs.slice(0, MAX_LISTED_CODES),
      ...(slugs.length > MAX_LISTED_CODES ? ['…'] : []),
    ].join(', ');
    const { email: to, locale } = account;
    const replyTo = deps.settings.contactEmail;
    await queueMail(
      orm,
      { to, locale, replyTo, template: mail.template, values: { codes: listedCodes, reason: mail.reason } },
      now,
    );
  }
}
