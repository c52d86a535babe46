import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { LOCALE_CODES } from '#contract/locales';
import { timestamptz } from './columns';

/**
 * Queued and sent mails. The content of a sent mail is cleared, unless mails are kept instead of sent; a mail that was
 * given up keeps it, so that it can be resent.
 */
export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    /** Order of queueing, because mails of one act have the same time. */
    place: bigint('place', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** A second mail with the same key is not queued. */
    dedupeKey: text('dedupe_key'),
    to: text('to').notNull(),
    replyTo: text('reply_to'),
    locale: text('locale', { enum: LOCALE_CODES }).notNull(),
    template: text('template').notNull(),
    values: jsonb('values').notNull(),
    attachments: jsonb('attachments').notNull(),
    subject: text('subject'),
    text: text('text'),
    html: text('html'),
    createdAt: timestamptz('created_at').notNull(),
    /** When the next attempt is due, by the clock of the product. */
    dueAt: timestamptz('due_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** While a node is sending it: when its claim expires, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    sentAt: timestamptz('sent_at'),
    givenUpAt: timestamptz('given_up_at'),
    /** When its link expires; it is neither sent nor kept after that. */
    usefulUntil: timestamptz('useful_until'),
    lastError: text('last_error'),
  },
  (table) => [
    uniqueIndex('mails_dedupe_key').on(table.dedupeKey),
    index('mails_due').on(table.dueAt).where(sql`${table.sentAt} is null and ${table.givenUpAt} is null`),
    index('mails_waiting')
      .on(sql`lower(${table.to})`, table.place)
      .where(sql`${table.sentAt} is null and ${table.givenUpAt} is null`),
    index('mails_newest').on(table.place),
    index('mails_to').on(sql`lower(${table.to})`),
  ],
);
