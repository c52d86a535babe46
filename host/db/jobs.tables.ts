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
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

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
      enum: ['tag', 'untag', 'make_public', 'make_private', 'archive', 'unarchive', 'style', 'delete'],
    }),
    tag: text('tag'),
    /** The look that codes get, with its version. */
    style: jsonb('style'),
    importId: uuid('import_id'),
    /** Idempotency key of the form that started it. */
    key: text('key'),
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
