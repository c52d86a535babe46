import { createTransport } from 'nodemailer';
import type { MailTransport, OutgoingMail } from '#host/http/deps';

/** A whole attempt must end before the claim on a mail does; see CLAIM_SECONDS. */
const ATTEMPT_MS = 45_000;
const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;

/** Sends nothing: mails stay in the table, where the mailbox shows them. */
export function createKeptTransport(): MailTransport {
  return { kind: 'kept', send: async () => undefined, close: () => undefined };
}

/**
 * Sends over SMTP. `url` is `smtp://` or `smtps://` with user and password; nodemailer's further options may follow
 * as query parameters (nodemailer.com/smtp), such as `?requireTLS=true`.
 */
export function createSmtpTransport(url: string): MailTransport {
  const smtp = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  return {
    kind: 'smtp',
    send: (mail) => inTime(smtp.sendMail(messageOf(mail)), ATTEMPT_MS),
    close: () => smtp.close(),
  };
}

function messageOf(mail: OutgoingMail) {
  const { from, to, replyTo, messageId, date, subject, text, html, attachments } = mail;
  return {
    from,
    // As an object it is one address whatever it contains, never a list.
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    messageId,
    date,
    subject,
    text,
    html,
    attachments: attachments.map((file) => ({ ...file, content: Buffer.from(file.content) })),
    // RFC 3834: keeps holiday notices from answering; a mail with a person behind it may be answered.
    ...(!replyTo && { headers: { 'Auto-Submitted': 'auto-generated' } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function inTime(sending: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not sent within ${ms} ms`)), ms);
  });
  await Promise.race([sending, late]).finally(() => clearTimeout(timer));
}
