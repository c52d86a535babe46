import { sql } from 'drizzle-orm';
import { boolean, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Looks that an account keeps under a name; codes have copies of them. */
export const styles = pgTable(
  'styles',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** As `foldLabel` says: equal names have one row. */
    key: text('key').notNull(),
    name: text('name').notNull(),
    /** With its version. */
    style: jsonb('style').notNull(),
    /** New codes begin with it. */
    isDefault: boolean('is_default').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('styles_key').on(table.accountId, table.key),
    uniqueIndex('styles_default').on(table.accountId).where(sql`${table.isDefault}`),
  ],
);
