import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Campaign } from '#contract/campaign';
import { CHANGED_FIELDS } from '#contract/code-changes';
import { CODE_TYPES } from '#contract/contents/contents';
import type { LogoChoice } from '#contract/logo-choice';
import type { End, Routing } from '#contract/routing-rules';
import { accounts } from './accounts.tables';
import { bytes, timestamptz, writtenIn } from './columns';

/** Re-encoded PNG bytes; the uploaded bytes are not kept. */
export const logos = pgTable(
  'logos',
  {
    id: uuid('id').primaryKey(),
    /** Null for those of visitors' drafts. */
    accountId: uuid('account_id').references(() => accounts.id),
    name: text('name').notNull(),
    png: bytes('png').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [index('logos_account').on(table.accountId)],
);

export interface StoredEnd extends End {
  /** When this moment or number was set; mails about it are sent once. */
  setAt: string;
  /** When its owner was told, or need not be, that the number is nearly reached. */
  noticedAt: string | null;
}

/** Where a code leads besides its content. */
export interface StoredRouting extends Routing {
  end: StoredEnd | null;
  /** The next id of a rule or route, which are never reused in a code. */
  next: number;
}

export const codes = pgTable(
  'codes',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Crockford base 32, upper case; printed in the image, so never reused. */
    slug: text('slug').notNull(),
    /** Consecutive within an account, from 1; never reused. */
    number: integer('number').notNull(),
    type: text('type', { enum: CODE_TYPES }).notNull(),
    content: text('content').notNull(),
    subject: text('subject').notNull().default(''),
    body: text('body').notNull().default(''),
    visibility: text('visibility', { enum: ['private', 'public'] }).notNull(),
    /** The owner's name for it. */
    name: text('name'),
    /** Ids of `tags`, without duplicates. */
    tagIds: integer('tag_ids').array().notNull().default(sql`'{}'`),
    useWhiteBackground: boolean('use_white_background').notNull(),
    logoId: uuid('logo_id').references(() => logos.id),
    logoPreset: text('logo_preset'),
    /** With its version; null for the default look. */
    style: jsonb('style'),
    /** Null if it leads nowhere but to its content. */
    routing: jsonb('routing').$type<StoredRouting>(),
    /** Parameters of the addresses that it leads to, as typed; null if it has none. */
    campaign: jsonb('campaign').$type<Campaign>(),
    /** Idempotency key of the form that created it. */
    formKey: text('form_key'),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
    /** Since when it is hidden from the list; visits work as before. */
    archivedAt: timestamptz('archived_at'),
    /** False if visits of it leave no trace. */
    isCounted: boolean('is_counted').notNull().default(true),
    /** False if its owner does not want to know whether its destination answers. */
    isWatched: boolean('is_watched').notNull().default(true),
    /** Since when it is blocked by an operator. */
    blockedAt: timestamptz('blocked_at'),
    deletedAt: timestamptz('deleted_at'),
    /** When a deleted code is emptied; until then an operator can bring it back. Null if it is emptied or not deleted. */
    eraseAt: timestamptz('erase_at'),
    /** Written by a trigger of the database with every update. */
    writtenIn: writtenIn('written_in'),
  },
  (table) => [
    uniqueIndex('codes_slug').on(table.slug),
    index('codes_logo').on(table.logoId),
    uniqueIndex('codes_form_key').on(table.accountId, table.formKey),
    uniqueIndex('codes_number').on(table.accountId, table.number),
    index('codes_written').on(table.accountId, table.writtenIn),
    index('codes_newest')
      .on(table.accountId, table.number)
      .where(sql`${table.deletedAt} is null and ${table.archivedAt} is null`),
    index('codes_destination').on(sql`md5(${table.content})`).where(sql`${table.deletedAt} is null`),
    index('codes_targets')
      .using('gin', sql`jsonb_path_query_array(${table.routing}, '$.**.target') jsonb_path_ops`)
      .where(sql`${table.deletedAt} is null and ${table.routing} is not null`),
    // Those that end by visits, which each count looks for among the codes that it has counted.
    index('codes_ends')
      .on(table.id)
      .where(
        sql`${table.routing}->'end'->>'visits' is not null and ${table.routing}->'end'->>'reachedAt' is null`,
      ),
    index('codes_tags').using('gin', table.tagIds).where(sql`${table.deletedAt} is null`),
    index('codes_erasure').on(table.accountId, table.eraseAt).where(sql`${table.eraseAt} is not null`),
    check('codes_type', sql.raw(`type in (${CODE_TYPES.map((type) => `'${type}'`).join(', ')})`)),
  ],
);

/** Tags of an account's codes, with how many active and archived codes have each. */
export const tags = pgTable(
  'tags',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** From `foldLabel`: equal tags share one row. */
    key: text('key').notNull(),
    /** As first typed. */
    label: text('label').notNull(),
    codes: integer('codes').notNull().default(0),
    archived: integer('archived').notNull().default(0),
  },
  (table) => [uniqueIndex('tags_key').on(table.accountId, table.key)],
);

/**
 * How many listed codes of an account, neither deleted nor archived, are in each block of 500 numbers: used to find
 * where a page of the list begins.
 */
export const codeBlocks = pgTable(
  'code_blocks',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    block: integer('block').notNull(),
    codes: integer('codes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.block] })],
);

export const codeChanges = pgTable(
  'code_changes',
  {
    id: uuid('id').primaryKey(),
    codeId: uuid('code_id')
      .notNull()
      .references(() => codes.id),
    at: timestamptz('at').notNull(),
    field: text('field', { enum: CHANGED_FIELDS }).notNull(),
    before: text('before').notNull(),
    after: text('after').notNull(),
  },
  (table) => [
    index('code_changes_code').on(table.codeId, table.at),
    // An uploaded logo that a code had before can be given back to it.
    index('code_changes_logo').on(sql`substr(${table.before}, 8, 36)`).where(sql`${table.field} = 'logo'`),
  ],
);

export const drafts = pgTable(
  'drafts',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the key that only the author's browser has. */
    visitorHash: text('visitor_hash').notNull(),
    fields: jsonb('fields').notNull(),
    logoId: uuid('logo_id').references(() => logos.id),
    logoPreset: text('logo_preset'),
    /** The account for which it could not be turned into a code, because its content was invalid. */
    accountId: uuid('account_id').references(() => accounts.id),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    index('drafts_expiry').on(table.expiresAt),
    index('drafts_logo').on(table.logoId),
    index('drafts_account').on(table.accountId),
  ],
);

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
    /** A `LogoChoice`; null if it leaves the logo of a code as it is. */
    logo: jsonb('logo').$type<LogoChoice>(),
    /** The look that new codes start with. */
    isDefault: boolean('is_default').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('styles_key').on(table.accountId, table.key),
    uniqueIndex('styles_default').on(table.accountId).where(sql`${table.isDefault}`),
  ],
);
