import { sql } from 'drizzle-orm';
import {
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
import type { Retarget } from '#contract/jobs';
import type { LogoChoice } from '#contract/logo-choice';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Work that is due once, by the clock of the product, and retried until it is done. */
export const jobs = pgTable(
  'jobs',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    kind: text('kind', {
      enum: [
        'charge',
        'charge_check',
        'document_mail',
        'trial_reminder',
        'renewal_notice',
        'refund',
        'order_expiry',
        'confirmation_expiry',
        'declaration',
        'declaration_effect',
        'event',
        'forget_customer',
        'customer_email',
        'prefer_card',
        'visit_erasure',
        'routing',
        'figures_mail',
        'first_scan_mail',
        'unusual_mail',
        'destination_mail',
        'webhook_visits',
      ],
    }).notNull(),
    /** Id of the account, order, refund, declaration, event or code it is about. */
    subject: text('subject').notNull(),
    /** For a charge, or a mail about one: its contract and period; if these have changed, the job is void. */
    subscriptionId: uuid('subscription_id'),
    period: integer('period'),
    /** Index of a charge among the planned attempts; null for an extra one. */
    planned: integer('planned'),
    /** A second job with the same key is not enqueued. */
    dedupeKey: text('dedupe_key').notNull(),
    dueAt: timestamptz('due_at').notNull(),
    /** While a node is working on it, or it waits after an error: until when, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    attempts: integer('attempts').notNull().default(0),
    /** In a row: the wait after an error grows with them. */
    failures: integer('failures').notNull().default(0),
    doneAt: timestamptz('done_at'),
    lastError: text('last_error'),
  },
  (table) => [
    uniqueIndex('jobs_dedupe_key').on(table.dedupeKey),
    index('jobs_due').on(table.dueAt).where(sql`${table.doneAt} is null`),
    index('jobs_subject').on(table.subject).where(sql`${table.doneAt} is null`),
  ],
);

/** Work on many codes of an account, done batch by batch: each batch moves `position` in its own transaction. */
export const codeJobs = pgTable(
  'code_jobs',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    kind: text('kind', { enum: ['bulk', 'import'] }).notNull(),
    act: text('act', {
      enum: [
        'tag',
        'untag',
        'make_public',
        'make_private',
        'count',
        'uncount',
        'archive',
        'unarchive',
        'style',
        'retarget',
        'delete',
      ],
    }),
    tag: text('tag'),
    /** The look that codes get, with its version. */
    style: jsonb('style'),
    /** The logo that codes get; null to leave theirs as it is. */
    logo: jsonb('logo').$type<LogoChoice>(),
    /** Where codes lead from now on, or what is replaced in their addresses. */
    retarget: jsonb('retarget').$type<Retarget>(),
    importId: uuid('import_id'),
    /** Idempotency key of the form that started it. */
    key: text('key'),
    /** The tag of the API key that started it: codes without it are left alone. */
    withinTag: text('within_tag'),
    /** Numbers of the selected codes; empty for an import. */
    numbers: integer('numbers').array().notNull().default(sql`'{}'`),
    total: integer('total').notNull(),
    /** How many of the numbers, or of the parts of an import, have been processed. */
    position: integer('position').notNull().default(0),
    succeeded: integer('succeeded').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    status: text('status', { enum: ['running', 'done', 'stopped'] }).notNull(),
    createdAt: timestamptz('created_at').notNull(),
    /** When its next batch is due: jobs take turns, and a failed one waits. */
    dueAt: timestamptz('due_at').notNull(),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [
    uniqueIndex('code_jobs_key').on(table.accountId, table.key),
    index('code_jobs_newest').on(table.accountId, table.createdAt),
    index('code_jobs_due').on(table.dueAt).where(sql`${table.status} = 'running'`),
  ],
);

/** Failures of a job. `position` is the index of the code among the selected ones, or the row of the file. */
export const codeJobProblems = pgTable(
  'code_job_problems',
  {
    jobId: uuid('job_id')
      .notNull()
      .references(() => codeJobs.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    codeId: uuid('code_id'),
    reason: text('reason').notNull(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.position] })],
);

/** A file with its report; its codes are created when the owner starts the import, or it is dropped. */
export const codeImports = pgTable(
  'code_imports',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    report: jsonb('report').notNull(),
    /** The tag of the API key that sent it, which its codes get. */
    withinTag: text('within_tag'),
    /** Whether rows that duplicate another row or an existing code are skipped. */
    skipDuplicates: boolean('skip_duplicates').notNull().default(false),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    index('code_imports_account').on(table.accountId, table.createdAt),
    index('code_imports_age').on(table.createdAt),
  ],
);

/** Problems of a file from the second page on; its report has the first. */
export const codeImportProblems = pgTable(
  'code_import_problems',
  {
    importId: uuid('import_id')
      .notNull()
      .references(() => codeImports.id, { onDelete: 'cascade' }),
    page: integer('page').notNull(),
    /** JSON; text, because it is always read as a whole. */
    problems: text('problems').notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.page] })],
);

/** Duplicates in a file from the second page on; its report has the first. */
export const codeImportDuplicates = pgTable(
  'code_import_duplicates',
  {
    importId: uuid('import_id')
      .notNull()
      .references(() => codeImports.id, { onDelete: 'cascade' }),
    page: integer('page').notNull(),
    /** JSON; text, because it is always read as a whole. */
    duplicates: text('duplicates').notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.page] })],
);

/** The rows of a file that can become codes, in parts. */
export const codeImportParts = pgTable(
  'code_import_parts',
  {
    importId: uuid('import_id')
      .notNull()
      .references(() => codeImports.id, { onDelete: 'cascade' }),
    part: integer('part').notNull(),
    /** JSON of the designs with their rows; text, because it is always read as a whole. */
    rows: text('rows').notNull(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.part] })],
);
