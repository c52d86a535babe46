import { sql } from 'drizzle-orm';
import { boolean, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Looks that an account has saved by name; codes have copies of them. */
export const styles = pgTable(
  'styles',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** From `foldLabel`: equal names share one row. */
    key: text('key').notNull(),
    name: text('name').notNull(),
    /** With its version. */
    style: jsonb('style').notNull(),
    /** The look that new codes start with. */
    isDefault: boolean('is_default').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('styles_key').on(table.accountId, table.key),
    uniqueIndex('styles_default').on(table.accountId).where(sql`${table.isDefault}`),
  ],
);
