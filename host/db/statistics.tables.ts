import { bigint, date, index, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { ACTS } from '#contract/contents/contents';
import { counter, timestamptz } from './columns';

/** Kinds of engagement: acts on the page of a code, copying its content, and reports by the destination of a link. */
const KINDS = [...ACTS, 'copy', 'report'] as const;

/** Visits by hour of the UTC day: scans, clicks, bots, previews, owner. */
type FoldedHours = Record<string, [number, number, number, number, number]>;

export interface FoldedDay {
  hours?: FoldedHours;
  /** Visits by people, by value of a dimension. */
  facets?: Record<string, Record<string, number>>;
  /** New persons of that day; for codes only. */
  visitors?: number;
}

const day = () => date('day', { mode: 'string' }).notNull();

/** Visits of all codes of an account by hour (UTC) until the day ends: people's by source, others by class. */
export const accountHours = pgTable(
  'account_hours',
  {
    accountId: uuid('account_id').notNull(),
    hour: timestamptz('hour').notNull(),
    scans: counter('scans').notNull(),
    clicks: counter('clicks').notNull(),
    bots: counter('bots').notNull(),
    previews: counter('previews').notNull(),
    owner: counter('owner').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hour] })],
);

/** Visits by people to an account's codes until the UTC day ends, by a dimension of the visit or by type of code. */
export const accountFacets = pgTable(
  'account_facets',
  {
    accountId: uuid('account_id').notNull(),
    day: day(),
    facet: text('facet', { enum: ['country', 'device', 'language', 'os', 'type'] }).notNull(),
    value: text('value').notNull(),
    visits: counter('visits').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.facet, table.value] })],
);

/**
 * Persons of an account by UTC day: visitors, visitors of a code whose engagements can be measured, and persons who
 * engaged; and the number of engagements.
 */
export const accountDays = pgTable(
  'account_days',
  {
    accountId: uuid('account_id').notNull(),
    day: day(),
    visitors: counter('visitors').notNull().default(0),
    measured: counter('measured').notNull().default(0),
    engaged: counter('engaged').notNull().default(0),
    engagements: counter('engagements').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day] })],
);

/** Counts a person once per account and UTC day. Steps: 0 visited, 1 visited a measurable code, 2 engaged. */
export const accountVisitors = pgTable(
  'account_visitors',
  {
    accountId: uuid('account_id').notNull(),
    day: day(),
    visitor: bigint('visitor', { mode: 'bigint' }).notNull(),
    step: smallint('step').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.visitor, table.step] })],
);

/**
 * Past UTC days of an account or a code: visits by hour and by dimension in one object, because a row for each would be
 * most of the database. Late visits are in additional rows.
 */
export const dayFigures = pgTable(
  'day_figures',
  {
    subjectId: uuid('subject_id').notNull(),
    day: day(),
    /** JSON of a `FoldedDay`; text, because it is read as a whole, hundreds at a time. */
    figures: text('figures').notNull(),
  },
  (table) => [index('day_figures_day').on(table.subjectId, table.day)],
);

/**
 * How many visits by people a code had before a UTC day; a row for each day with visits. The visits of any range of
 * days are the difference of two rows, so that ranking codes does not have to add up days.
 */
export const codeMarks = pgTable(
  'code_marks',
  {
    codeId: uuid('code_id').notNull(),
    day: day(),
    before: counter('before').notNull(),
  },
  (table) => [primaryKey({ columns: [table.codeId, table.day] })],
);

/** Engagements of a code by UTC day: how many, and by how many persons. */
export const codeEngagements = pgTable(
  'code_engagements',
  {
    codeId: uuid('code_id').notNull(),
    day: day(),
    engagements: counter('engagements').notNull(),
    engaged: counter('engaged').notNull(),
  },
  (table) => [primaryKey({ columns: [table.codeId, table.day] })],
);

/**
 * Counts a kind of engagement once per person, code and UTC day; `any` is the first of any kind, and counts the person
 * once.
 */
export const engagements = pgTable(
  'engagements',
  {
    codeId: uuid('code_id').notNull(),
    day: day(),
    visitor: bigint('visitor', { mode: 'bigint' }).notNull(),
    kind: text('kind', { enum: ['any', ...KINDS] }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.codeId, table.day, table.visitor, table.kind] }),
    index('engagements_age').using('brin', table.day),
  ],
);

/**
 * Engagements of persons who are not visitors yet because their visit is still in the journal. Kept for some minutes;
 * any left then came from somebody who never visited.
 */
export const waitingEngagements = pgTable(
  'waiting_engagements',
  {
    codeId: uuid('code_id').notNull(),
    day: day(),
    visitor: bigint('visitor', { mode: 'bigint' }).notNull(),
    kind: text('kind', { enum: KINDS }).notNull(),
    /** By the clock of the database. */
    since: timestamptz('since').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.codeId, table.day, table.visitor, table.kind] })],
);

/** Codes whose destination reports engagements, with the UTC day of the first report. */
export const codeBeacons = pgTable('code_beacons', {
  codeId: uuid('code_id').primaryKey(),
  since: date('since', { mode: 'string' }).notNull(),
});
