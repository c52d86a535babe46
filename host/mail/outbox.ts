import { randomUUID } from 'node:crypto';
import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import { missingValues } from './render';
import type { Template } from './texts';

interface MailAttachment {
  filename: string;
  contentType: string;
  content: Uint8Array;
}

export interface NewMail {
  /** One address, validated by the caller. */
  to: string;
  locale: Locale;
  template: Template;
  /** For the placeholders; `appName`, `contactEmail` and `publicUrl` are always provided. */
  values: Record<string, string | number>;
  /** Each key is queued only once: name the act, for example `trial-reminder:<subscription id>`. */
  dedupeKey?: string;
  /** Where replies go instead of to us. */
  replyTo?: string;
  attachments?: MailAttachment[];
  /** When its link expires; the mail is not sent after that. */
  usefulUntil?: Date;
  /** When it is to be sent; at once by default. */
  dueAt?: Date;
}

/** An attachment as stored in the outbox; `content` in base64. */
export interface KeptAttachment extends Omit<MailAttachment, 'content'> {
  content: string;
}

/**
 * Queues a mail. Call it in the transaction of the act that it reports, so that both happen or neither. Returns false
 * if a mail with this key was queued before. Throws if a value that the template needs is missing.
 */
export async function queueMail(orm: Orm, mail: NewMail, now: Date): Promise<boolean> {
  const missing = missingValues(mail.template, mail.locale, mail.values);
  if (missing.length > 0) throw new Error(`Mail ${mail.template} lacks ${missing.join(', ')}`);
  const queued = await orm
    .insert(mails)
    .values({
      id: randomUUID(),
      dedupeKey: mail.dedupeKey,
      to: mail.to,
      replyTo: mail.replyTo,
      locale: mail.locale,
      template: mail.template,
      values: sanitizeValues(mail.values),
      attachments: (mail.attachments ?? []).map(encodeAttachment),
      createdAt: now,
      dueAt: mail.dueAt ?? now,
      usefulUntil: mail.usefulUntil,
    })
    .onConflictDoNothing({ target: mails.dedupeKey })
    .returning({ id: mails.id });
  return queued.length > 0;
}

/** PostgreSQL rejects null characters and unpaired surrogates in JSON. */
function sanitizeValues(values: NewMail['values']): NewMail['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/[\p{Cs}\0]/gu, '\uFFFD') : value,
    ]),
  );
}

function encodeAttachment({ content, ...rest }: MailAttachment): KeptAttachment {
  return { ...rest, content: Buffer.from(content).toString('base64') };
}
