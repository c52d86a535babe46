import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';

export const billingAddresses = pgTable(
  'billing_addresses',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    street: text('street').notNull(),
    city: text('city').notNull(),
    stateRegion: text('state_region').notNull().default(''),
    postalCode: text('postal_code').notNull().default(''),
    /** ISO 3166-1 alpha-2. */
    country: text('country').notNull(),
    professional: boolean('professional').notNull(),
    companyName: text('company_name').notNull().default(''),
    /** Upper case without separators. */
    vatNumber: text('vat_number').notNull().default(''),
    /** 14 digits. */
    siretNumber: text('siret_number').notNull().default(''),
    isDefault: boolean('is_default').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [
    index('billing_addresses_account').on(table.accountId, table.createdAt, table.id),
    uniqueIndex('billing_addresses_default').on(table.accountId).where(sql`${table.isDefault}`),
  ],
);
