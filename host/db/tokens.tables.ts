import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { LOCALES } from '#contract/locales';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Single-use links sent by mail. Kept for a while after they end, to distinguish a used link from an unknown one. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    purpose: text('purpose', { enum: ['onboarding', 'reset', 'email_change'] }).notNull(),
    /** SHA-256 of 256 random bits; only the mail contains the token itself. */
    hash: text('hash').notNull(),
    /** The address that an e-mail change confirms. */
    email: text('email'),
    /** The design that becomes the first code. */
    draftId: uuid('draft_id'),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    usedAt: timestamptz('used_at'),
  },
  (table) => [
    uniqueIndex('mail_tokens_hash').on(table.hash),
    index('mail_tokens_account').on(table.accountId, table.purpose, table.createdAt),
    index('mail_tokens_expiry').on(table.expiresAt),
  ],
);

/** Requests for links, processed in the background, so that known and unknown addresses take the same time. */
export const linkRequests = pgTable(
  'link_requests',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose', { enum: ['onboarding', 'reset'] }).notNull(),
    email: text('email'),
    tokenHash: text('token_hash'),
    locale: text('locale', { enum: LOCALES }),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [index('link_requests_order').on(table.createdAt)],
);
