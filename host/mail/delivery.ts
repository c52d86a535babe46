import type { Deps } from '#host/http/deps';
import { claimDueMails, type MailRow, markFailed, markKept, markSent } from './mails.store';
import { type RenderedMail, renderMail } from './render';

const MINUTE_MS = 60_000;
/** Waits after the first, second … failure; after the failure that follows the last wait a mail is given up. */
export const RETRY_MS = [1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS);
const BATCH = 10;

type MailDeps = Pick<Deps, 'db' | 'log' | 'mail' | 'settings'>;

/**
 * Sends every due mail. Any number of nodes may do so at once: each mail is claimed by one. A node that dies between
 * sending and noting it leaves the claim to run out, and the mail goes out again with the same Message-ID: at least
 * once, and recognisable as the same.
 */
export async function deliverDueMails(deps: MailDeps, now: Date): Promise<void> {
  let claimed: MailRow[];
  do {
    claimed = await claimDueMails(deps.db.orm, now, BATCH);
    await Promise.all(claimed.map((mail) => deliver(deps, mail, now)));
  } while (claimed.length === BATCH && deps.mail.isOpen());
}

async function deliver(deps: MailDeps, row: MailRow, now: Date): Promise<void> {
  const { db, log, mail } = deps;
  const about = { mail: row.id, template: row.template, attempt: row.attempts };
  let rendered: RenderedMail;
  try {
    rendered = renderMail(row.template, row.locale, row.values, deps.settings);
    await mail.send(outgoing(row, rendered, deps.settings.mailFrom));
  } catch (thrown) {
    const wait = RETRY_MS[row.attempts - 1];
    const nextAt = wait === undefined ? null : new Date(now.getTime() + wait);
    const error = reasonOf(thrown);
    await markFailed(db.orm, row.id, { error, nextAt }, now);
    if (nextAt) log.warn({ ...about, error, nextAt }, 'mail not sent, will be tried again');
    else log.error({ ...about, error }, 'mail given up');
    return;
  }
  if (mail.kind === 'kept') await markKept(db.orm, row.id, rendered, now);
  else await markSent(db.orm, row.id, now);
  log.info(about, mail.kind === 'kept' ? 'mail kept' : 'mail sent');
}

function outgoing(row: MailRow, rendered: RenderedMail, from: string) {
  return {
    ...rendered,
    from,
    to: row.to,
    replyTo: row.replyTo,
    messageId: `<${row.id}@${domainOf(from)}>`,
    date: row.createdAt,
    attachments: row.attachments.map(({ content, ...about }) => ({
      ...about,
      content: Buffer.from(content, 'base64'),
    })),
  };
}

function domainOf(from: string): string {
  return /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

/**
 * What went wrong, without the address it went wrong for: a server's answer names the recipient, so of it only the codes
 * are kept (RFC 5321, RFC 3463).
 */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  const { code, responseCode, message } = thrown as Error & { code?: unknown; responseCode?: unknown };
  const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(message)?.[0];
  const said = responseCode ? [responseCode, status] : [message.replace(/\S+@\S+/g, '…')];
  return [code, ...said].filter(Boolean).join(' ').slice(0, 300);
}
