import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { ACTIVITY_TYPES } from '#contract/dashboard';
import { DEFAULT_LOCALE, LOCALE_CODES } from '#contract/locales';
import { timestamptz } from './columns';

export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    /** As typed; compared in lower case. */
    email: text('email').notNull(),
    passwordHash: text('password_hash'),
    firstName: text('first_name').notNull().default(''),
    lastName: text('last_name').notNull().default(''),
    /** Shown on the pages of its codes. */
    publicName: text('public_name').notNull().default(''),
    roles: text('roles').array().notNull().default(sql`'{ROLE_USER}'`),
    /** Requested but not yet confirmed. */
    pendingEmail: text('pending_email'),
    /** Language of its mails. */
    locale: text('locale', { enum: LOCALE_CODES }).notNull().default(DEFAULT_LOCALE),
    /** IANA name; null if every device uses its own. */
    timeZone: text('time_zone'),
    /** Updated with the codes, so that a list of 100,000 needs no count. */
    codeCount: integer('code_count').notNull().default(0),
    /** How many of these are archived. */
    archivedCount: integer('archived_count').notNull().default(0),
    /** Number of the newest code, even if deleted. */
    lastCodeNumber: integer('last_code_number').notNull().default(0),
    createdAt: timestamptz('created_at').notNull(),
    lastLoginAt: timestamptz('last_login_at'),
    /** When the owner was notified that the unused account ends; a sign-in or later paid time cancels the notice. */
    deletionToldAt: timestamptz('deletion_told_at'),
    deletedAt: timestamptz('deleted_at'),
  },
  (table) => [
    uniqueIndex('accounts_email').on(sql`lower(${table.email})`).where(sql`${table.deletedAt} is null`),
  ],
);

/** Browsers that signed in to an account before; see `host/sign-in/known-devices.ts`. */
export const knownDevices = pgTable(
  'known_devices',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** SHA-256 of 256 random bits; only the browser has the token itself. */
    hash: text('hash').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    lastSignInAt: timestamptz('last_sign_in_at').notNull(),
  },
  (table) => [
    uniqueIndex('known_devices_hash').on(table.hash),
    index('known_devices_account').on(table.accountId, table.lastSignInAt),
    index('known_devices_age').on(table.lastSignInAt),
  ],
);

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    remember: boolean('remember').notNull(),
    userAgent: text('user_agent').notNull().default(''),
    /** The device it was opened on; null if the device was forgotten, or never remembered. */
    deviceId: uuid('device_id').references(() => knownDevices.id, { onDelete: 'set null' }),
    createdAt: timestamptz('created_at').notNull(),
    /** Exact to five minutes. */
    lastSeenAt: timestamptz('last_seen_at'),
    expiresAt: timestamptz('expires_at').notNull(),
    revokedAt: timestamptz('revoked_at'),
  },
  (table) => [
    index('sessions_account').on(table.accountId),
    index('sessions_device').on(table.deviceId).where(sql`${table.deviceId} is not null`),
  ],
);

/** A sign-in at an OpenID provider, identified by issuer and subject, as an e-mail address may change hands. */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    id: uuid('id').notNull().unique().defaultRandom(),
    /** The address at the provider when it was linked; empty if it was not stored. */
    email: text('email').notNull().default(''),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index('identities_account').on(table.accountId),
  ],
);

export const activities = pgTable(
  'activities',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    type: text('type', { enum: ACTIVITY_TYPES }).notNull(),
    at: timestamptz('at').notNull(),
    /** The code concerned, if it is just one. */
    codeId: uuid('code_id'),
    /** How many codes it concerned; 0 if it was not about codes. */
    codes: integer('codes').notNull().default(0),
  },
  (table) => [index('activities_recent').on(table.accountId, table.at)],
);

/**
 * Counts of rate limits within a window; one row per limiter and key, shared by all nodes. Unlogged: no call waits for the
 * disk because it was counted, and after a crash of the server all windows start anew.
 */
export const rateLimits = pgTable('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull(),
  resetsAt: timestamptz('resets_at').notNull(),
});

/** Single-use links sent by mail. Kept for a while after they end, to distinguish a used link from an unknown one. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    purpose: text('purpose', { enum: ['onboarding', 'reset', 'email_change'] }).notNull(),
    /** SHA-256 of 256 random bits; only the mail contains the token itself. */
    hash: text('hash').notNull(),
    /** The address that an e-mail change confirms. */
    email: text('email'),
    /** The design that becomes the first code. */
    draftId: uuid('draft_id'),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    usedAt: timestamptz('used_at'),
  },
  (table) => [
    uniqueIndex('mail_tokens_hash').on(table.hash),
    index('mail_tokens_account').on(table.accountId, table.purpose, table.createdAt),
    index('mail_tokens_expiry').on(table.expiresAt),
  ],
);

/** Requests for links, processed in the background, so that known and unknown addresses take the same time. */
export const linkRequests = pgTable(
  'link_requests',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose', { enum: ['onboarding', 'reset'] }).notNull(),
    email: text('email'),
    tokenHash: text('token_hash'),
    locale: text('locale', { enum: LOCALE_CODES }),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [index('link_requests_order').on(table.createdAt)],
);

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
