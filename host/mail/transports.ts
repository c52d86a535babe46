import { createTransport } from 'nodemailer';
import type { MailTransport, OutgoingMail } from '#host/http/deps';

/** A whole attempt must end before the claim on a mail does; see CLAIM_SECONDS. */
const ATTEMPT_TIMEOUT_MS = 45_000;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 20_000;
/** Time left for mails in progress when the program stops. */
const GRACE_PERIOD_MS = 3_000;

/** Sends nothing: mails stay in the table, where the mailbox shows them. */
export function createKeptTransport(): MailTransport {
  return { kind: 'kept', isOpen: () => true, send: async () => undefined, close: () => undefined };
}

/**
 * Sends over SMTP. `url` is `smtp://` or `smtps://` with user and password; nodemailer's further options may follow
 * as query parameters (nodemailer.com/smtp), such as `?requireTLS=true`.
 */
export function createSmtpTransport(
  url: string,
  { attemptMs = ATTEMPT_TIMEOUT_MS, graceMs = GRACE_PERIOD_MS } = {},
): MailTransport {
  let isOpen = true;
  const attempts = new Set<Attempt>();
  const smtp = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  });
  return {
    kind: 'smtp',
    isOpen: () => isOpen,
    send: async (mail) => {
      const attempt = startAttempt(smtp.sendMail(messageOf(mail)), attemptMs);
      attempts.add(attempt);
      await attempt.done.finally(() => attempts.delete(attempt));
    },
    close: () => {
      isOpen = false;
      for (const attempt of attempts) attempt.limit(graceMs);
      smtp.close();
    },
  };
}

interface Attempt {
  /** Rejects if sending fails or takes too long. */
  done: Promise<void>;
  /** Sets a new time limit, from now. */
  limit(ms: number): void;
}

function startAttempt(sending: Promise<unknown>, ms: number): Attempt {
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (reason: Error) => void = () => undefined;
  const timedOut = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  function limit(limitMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(new Error(`not sent within ${limitMs} ms`)), limitMs);
  }
  limit(ms);
  const done = Promise.race([sending, timedOut])
    .then(() => undefined)
    .finally(() => clearTimeout(timer));
  return { done, limit };
}

function messageOf(mail: OutgoingMail) {
  const { from, to, replyTo, offUrl, messageId, date, subject, text, html, attachments } = mail;
  return {
    from,
    // Passed as an object, it is always a single address, never a list.
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    messageId,
    date,
    subject,
    text,
    html,
    attachments: attachments.map((file) => ({ ...file, content: Buffer.from(file.content) })),
    headers: {
      // RFC 3834: prevents automatic replies such as holiday notices; a mail with a `replyTo` may be answered.
      ...(!replyTo && { 'Auto-Submitted': 'auto-generated' }),
      ...(offUrl && {
        'List-Unsubscribe': `<${offUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
