import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { counter, timestamptz } from './columns';

// Tables listed in host/db/partitions.ts are partitioned by day or month, by the migration `partitions`; drizzle does
// not know about it. Their primary keys must contain the column that they are partitioned by.

/**
 * One row per visit, kept for 90 days, without IP address and user agent. `code_id` is null for unknown slugs. Nothing
 * looks up a single visit, so there is no id and no index except the one that finds the hours of a day. `account_key` is
 * that of the code's account, see host/visits/count/account-key.ts; null for unknown slugs, and in rows from before 0030.
 */
export const visits = pgTable(
  'visits',
  {
    codeId: uuid('code_id'),
    at: timestamptz('at').notNull(),
    source: text('source', { enum: ['scan', 'click'] }).notNull(),
    class: text('class', { enum: ['human', 'bot', 'preview', 'owner'] }).notNull(),
    outcome: text('outcome', {
      enum: ['served', 'private', 'unknown', 'deleted', 'blocked', 'paused', 'ended'],
    }).notNull(),
    device: text('device').notNull(),
    os: text('os').notNull(),
    language: text('language').notNull(),
    country: text('country').notNull(),
    accountKey: integer('account_key'),
  },
  (table) => [index('visits_age').using('brin', table.at).with({ autosummarize: true, pages_per_range: 16 })],
);

/**
 * Hourly counters (UTC) of a code until the day ends, people's by device, system, language and country; `visitors`
 * counts those who were new that day.
 */
export const visitHours = pgTable(
  'visit_hours',
  {
    codeId: uuid('code_id').notNull(),
    hour: timestamptz('hour').notNull(),
    source: text('source', { enum: ['scan', 'click'] }).notNull(),
    class: text('class', { enum: ['human', 'bot', 'preview', 'owner'] }).notNull(),
    device: text('device').notNull().default(''),
    os: text('os').notNull().default(''),
    language: text('language').notNull().default(''),
    country: text('country').notNull().default(''),
    count: counter('count').notNull(),
    visitors: counter('visitors').notNull().default(0),
  },
  (table) => [
    primaryKey({
      name: 'visit_hours_key',
      columns: [
        table.codeId,
        table.hour,
        table.source,
        table.class,
        table.device,
        table.os,
        table.language,
        table.country,
      ],
    }),
  ],
);

/** Running totals for the list: people only, with the time of their latest visit. */
export const codeTotals = pgTable(
  'code_totals',
  {
    codeId: uuid('code_id').primaryKey(),
    scans: counter('scans').notNull(),
    clicks: counter('clicks').notNull(),
    others: counter('others').notNull(),
    lastAt: timestamptz('last_at'),
    accountId: uuid('account_id'),
    /**
     * The last transaction that counted, divided by 1,024: if an indexed column changed with every count, each count
     * would have to update the indexes.
     */
    countedIn: bigint('counted_in', { mode: 'number' }).notNull().default(0),
  },
  (table) => [index('code_totals_counted').on(table.accountId, table.countedIn)],
);

/**
 * Visits by people to codes with a routing, by the route that they took: 0 is the content of the code, others are named in
 * its `routing`. Codes without one have no rows.
 */
export const routeDays = pgTable(
  'route_days',
  {
    codeId: uuid('code_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    route: integer('route').notNull(),
    scans: counter('scans').notNull(),
    clicks: counter('clicks').notNull(),
  },
  (table) => [primaryKey({ columns: [table.codeId, table.day, table.route] })],
);

/**
 * Visits by people that were led to an address with campaign parameters, by what those were at that time; empty texts
 * for absent ones. Other visits have no rows.
 */
export const campaignDays = pgTable(
  'campaign_days',
  {
    codeId: uuid('code_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    source: text('source').notNull(),
    medium: text('medium').notNull(),
    campaign: text('campaign').notNull(),
    accountId: uuid('account_id').notNull(),
    visits: counter('visits').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'campaign_days_key',
      columns: [table.codeId, table.day, table.source, table.medium, table.campaign],
    }),
    index('campaign_days_account').on(table.accountId, table.day),
  ],
);

/** A person per code and UTC day, known only by a keyed hash whose key is destroyed when the day ends. */
export const visitorDays = pgTable(
  'visitor_days',
  {
    codeId: uuid('code_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    visitor: bigint('visitor', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.codeId, table.day, table.visitor] })],
);

/** Random keys of UTC days. The row of a past day stays, but empty, so that its key is never created again. */
export const visitSalts = pgTable('visit_salts', {
  day: date('day', { mode: 'string' }).primaryKey(),
  salt: text('salt').notNull(),
});

/** The last batch of each lane, so that a batch sent twice is written once. */
export const visitLanes = pgTable('visit_lanes', {
  id: uuid('id').primaryKey(),
  batch: bigint('batch', { mode: 'number' }).notNull(),
  at: timestamptz('at').notNull(),
});

/**
 * Visits that are acknowledged but not counted yet, one batch per row, so that they survive a killed process. Rows are
 * short-lived. `visits` is JSON, see host/visits/count/journal.ts; `size` is the number of visits in it.
 */
export const visitJournal = pgTable('visit_journal', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: timestamptz('at').notNull().defaultNow(),
  size: integer('size').notNull(),
  visits: text('visits').notNull(),
});

/**
 * Ids of counted visits that may have been recorded twice, so that the second one is not counted: those that the gateway
 * resent, and those that one process recorded and another counted.
 */
export const visitIds = pgTable('visit_ids', {
  id: text('id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
});

/** One row: the id by which hosts recognise the database that their files belong to, see host/visits/spool/installation.ts. */
export const installation = pgTable(
  'installation',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    id: uuid('id').notNull(),
  },
  (table) => [check('installation_only', sql`${table.isOnly}`)],
);
