import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { DESTINATION_PROBLEMS } from '#contract/destination-problems';
import { FIGURES_EVERY } from '#contract/mail-settings';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Which mails of insight an account gets; one without a row gets the default ones. */
export const mailSettings = pgTable('mail_settings', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id),
  figures: text('figures', { enum: FIGURES_EVERY }).notNull(),
  firstScan: boolean('first_scan').notNull(),
  unusual: boolean('unusual').notNull(),
  destinationFailing: boolean('destination_failing').notNull(),
  /** Up to which transaction, divided by 1,024, first visits were looked for; see `code_totals.counted_in`. */
  countedIn: bigint('counted_in', { mode: 'number' }).notNull().default(0),
});

/** Codes whose first visit is no news: it was told, or came before its account asked to be told. */
export const visitedCodes = pgTable(
  'visited_codes',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    codeId: uuid('code_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.codeId] })],
);

/** Addresses that codes lead to, each once however many codes lead there, with how they answered last. */
export const destinations = pgTable(
  'destinations',
  {
    /** MD5 of the address, which codes are found by. */
    key: text('key').primaryKey(),
    /** The content of the codes, as stored. */
    address: text('address').notNull(),
    /** When it is asked next. */
    nextAt: timestamptz('next_at').notNull(),
    /** While a node is asking it: until when, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    attempts: integer('attempts').notNull().default(0),
    checkedAt: timestamptz('checked_at'),
    /** What the last look saw; null if nothing is wrong. */
    problem: text('problem', { enum: DESTINATION_PROBLEMS }),
    /** Status of the last response, if that is the problem. */
    status: integer('status'),
    /** The site it has moved to for good, if that is the problem. */
    movedTo: text('moved_to'),
    /** Looks in a row that failed. */
    failures: integer('failures').notNull().default(0),
    failingSince: timestamptz('failing_since'),
    /** When a second look confirmed the failure: from then on owners know it. */
    confirmedAt: timestamptz('confirmed_at'),
  },
  (table) => [
    index('destinations_next').on(table.nextAt),
    index('destinations_confirmed').on(table.confirmedAt).where(sql`${table.confirmedAt} is not null`),
  ],
);

/** Links with which anybody reads a report. */
export const sharedReports = pgTable(
  'shared_reports',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** For its owner only. */
    name: text('name').notNull(),
    /** What the report is about: a `StatisticsFilter`, as it was when the link was made. */
    filter: jsonb('filter').notNull(),
    /** SHA-256 of the token, which has 192 random bits. */
    hash: text('hash').notNull(),
    /** The token, sealed, so that its owner can be shown the link again. */
    sealed: text('sealed').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    /** When it ends by itself, or was ended. */
    endsAt: timestamptz('ends_at').notNull(),
    /** Idempotency key of the form that made it. */
    formKey: text('form_key'),
  },
  (table) => [
    uniqueIndex('shared_reports_hash').on(table.hash),
    index('shared_reports_account').on(table.accountId, table.createdAt),
    index('shared_reports_end').on(table.endsAt),
  ],
);
