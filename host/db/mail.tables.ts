import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { LOCALES } from '#contract/locales';
import { timestamptz } from './columns';

/**
 * Mails to be sent and mails sent. What a sent mail said is emptied, unless mails are kept instead of sent; one that was
 * given up keeps it, so that it can be sent after all.
 */
export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    /** Order of queueing: mails of one act have the same time. */
    place: bigint('place', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** A second mail with the same key is not queued. */
    dedupeKey: text('dedupe_key'),
    to: text('to').notNull(),
    replyTo: text('reply_to'),
    locale: text('locale', { enum: LOCALES }).notNull(),
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
    /** While a node is sending: until when it may, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    sentAt: timestamptz('sent_at'),
    givenUpAt: timestamptz('given_up_at'),
    /** When its link ends; it is not sent after that, nor kept. */
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
