import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { LOCALE_CODES } from '#contract/locales';
import { timestamptz } from './columns';

/** Messages of the contact form, kept twelve months. */
export const tickets = pgTable(
  'tickets',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    firstname: text('firstname').notNull(),
    lastname: text('lastname').notNull(),
    subject: text('subject', {
      enum: ['question', 'technical', 'billing', 'subscription', 'withdrawal', 'report', 'other'],
    }).notNull(),
    message: text('message').notNull(),
    locale: text('locale', { enum: LOCALE_CODES }).notNull(),
    /** Idempotency key of the form. */
    formKey: text('form_key'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('tickets_form_key').on(table.email, table.formKey),
    index('tickets_age').on(table.createdAt),
    index('tickets_email').on(sql`lower(${table.email})`),
  ],
);
