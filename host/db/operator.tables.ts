import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { timestamptz } from './columns';

/** Changes by operators on the command line. Identifies people by id only, and outlives its subjects. */
export const operatorActs = pgTable(
  'operator_acts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamptz('at').notNull(),
    /** The operating system user, or the name given by `--as`. */
    operator: text('operator').notNull(),
    act: text('act').notNull(),
    /** Id of an account, code, payment or mail, number of an invoice, or a host. */
    subject: text('subject').notNull(),
    /** The account concerned, if any. */
    accountId: uuid('account_id'),
    /** Empty once the account is erased, except for the erasure itself. */
    reason: text('reason').notNull(),
  },
  (table) => [index('operator_acts_account').on(table.accountId), index('operator_acts_age').on(table.at)],
);

/** Hosts in ASCII that codes must not link to, including their subdomains. */
export const blockedTargets = pgTable('blocked_targets', {
  host: text('host').primaryKey(),
  at: timestamptz('at').notNull(),
});
