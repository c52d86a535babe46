import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { timestamptz } from './columns';

/** What operators changed by the command line. Names nobody but by an id, and outlives what it was about. */
export const operatorActs = pgTable(
  'operator_acts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamptz('at').notNull(),
    /** Of the operating system, or as the operator said. */
    operator: text('operator').notNull(),
    act: text('act').notNull(),
    /** Id of an account, a code, a payment or a mail; number of an invoice; a host. */
    subject: text('subject').notNull(),
    /** Whom it was about, where it was about somebody. */
    accountId: uuid('account_id'),
    /** Empty once the account is erased, but for the act that erased it. */
    reason: text('reason').notNull(),
  },
  (table) => [index('operator_acts_account').on(table.accountId), index('operator_acts_age').on(table.at)],
);

/** Hosts in ASCII that no code leads to, nor to any name below them. */
export const blockedTargets = pgTable('blocked_targets', {
  host: text('host').primaryKey(),
  at: timestamptz('at').notNull(),
});
