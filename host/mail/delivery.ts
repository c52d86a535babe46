import { DAY_MS, MINUTE_MS } from '#contract/time';
import type { Deps } from '#host/http/deps';
import { type RenderedMail, renderMail } from './render';
import {
  advanceEarlierMails,
  areMailsDue,
  claimDueMails,
  giveUpExpiredMails,
  type MailRow,
  markFailed,
  markGivenUp,
  markKept,
  markSent,
} from './store';

/** For how long a mail is tried that was refused for good: the server may have been set up wrong for a moment. */
const REFUSED_RETRY_PERIOD_MS = 30 * MINUTE_MS;
/** For how long any other is tried: RFC 5321 (4.5.4.1) wants four to five days. */
const RETRY_PERIOD_MS = 5 * DAY_MS;
/** An old mail that an operator resends gets this many attempts. */
const MIN_ATTEMPTS = 6;
const BATCH = 10;

type MailDeps = Pick<Deps, 'db' | 'log' | 'mail' | 'settings'>;

/**
 * Sends every due mail; of those to one address the earliest first. Any number of nodes may call it at once: each mail
 * is claimed by one. If a node dies between sending a mail and recording it, the claim expires and the mail is sent
 * again with the same Message-ID: at least once, and recognisable as a duplicate.
 */
export async function deliverDueMails(deps: MailDeps, now: Date): Promise<void> {
  const { orm } = deps.db;
  if (!(await areMailsDue(orm, now))) return;
  await giveUpExpiredMails(orm, now);
  await advanceEarlierMails(orm, now);
  let claimed: MailRow[];
  do {
    claimed = await claimDueMails(orm, now, BATCH);
    await Promise.all(claimed.map((mail) => deliver(deps, mail, now)));
    // Those behind a mail that was sent just now are next; failed ones are no longer due.
  } while (claimed.length > 0 && deps.mail.isOpen());
}

async function deliver(deps: MailDeps, row: MailRow, now: Date): Promise<void> {
  const { db, log, mail } = deps;
  const logFields = { mail: row.id, template: row.template, attempt: row.attempts };
  let rendered: RenderedMail | undefined;
  try {
    rendered = renderMail(row.template, row.locale, row.values, deps.settings);
    await mail.send(outgoingMail(row, rendered, deps.settings.mailFrom));
  } catch (thrown) {
    const error = reasonOf(thrown);
    const retryPeriodMs =
      !rendered || isPermanentlyRefused(thrown) ? REFUSED_RETRY_PERIOD_MS : RETRY_PERIOD_MS;
    if (row.attempts < MIN_ATTEMPTS || now.getTime() - row.createdAt.getTime() < retryPeriodMs) {
      await markFailed(db.orm, row, error, now);
      log.warn({ ...logFields, error }, 'mail not sent, will be retried');
    } else {
      await markGivenUp(db.orm, row.id, error, now);
      log.error({ ...logFields, error }, 'mail given up');
    }
    return;
  }
  if (mail.kind === 'kept') await markKept(db.orm, row.id, rendered, now);
  else await markSent(db.orm, row.id, now);
  log.info(logFields, mail.kind === 'kept' ? 'mail kept' : 'mail sent');
}

function outgoingMail(row: MailRow, rendered: RenderedMail, from: string) {
  return {
    ...rendered,
    from,
    to: row.to,
    replyTo: row.replyTo,
    offUrl: typeof row.values.offUrl === 'string' ? row.values.offUrl : null,
    messageId: `<${row.id}@${domainOf(from)}>`,
    date: row.createdAt,
    attachments: row.attachments.map(({ content, ...rest }) => ({
      ...rest,
      content: Buffer.from(content, 'base64'),
    })),
  };
}

function domainOf(from: string): string {
  return /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

/** The recipient or the mail, that is, and not everything that we send. */
function isPermanentlyRefused(thrown: unknown): boolean {
  const { command, responseCode } = thrown as { command?: unknown; responseCode?: unknown };
  return (
    (command === 'RCPT TO' || command === 'DATA') && typeof responseCode === 'number' && responseCode >= 500
  );
}

/**
 * What went wrong, without the recipient: a server's response may name the address, so only its codes are kept (RFC
 * 5321, RFC 3463).
 */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  const { code, responseCode, message } = thrown as Error & { code?: unknown; responseCode?: unknown };
  const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(message)?.[0];
  const details = responseCode ? [responseCode, status] : [message.replace(/\S+@\S+/g, '…')];
  return [code, ...details].filter(Boolean).join(' ').slice(0, 300);
}
