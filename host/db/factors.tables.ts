import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';
import { bytes, timestamptz } from './columns';

/** The secret that an account shares with an authenticator app (RFC 6238); codes are required once it is confirmed. */
export const totpSecrets = pgTable('totp_secrets', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id),
  /** Encrypted. */
  sealed: text('sealed').notNull(),
  /** The session that set it up, the only one that is shown the secret. */
  sessionId: uuid('session_id').notNull(),
  createdAt: timestamptz('created_at').notNull(),
  confirmedAt: timestamptz('confirmed_at'),
  /** The latest time step of an accepted code; no code works twice. */
  lastStep: bigint('last_step', { mode: 'number' }),
  lastUsedAt: timestamptz('last_used_at'),
  /** The sign-in that this code completed; null if it was used for something else. */
  lastChallengeId: uuid('last_challenge_id'),
});

/** Single-use codes for owners who have lost the app; a new set replaces the whole previous one. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Argon2id with the salt of its set, so that one hash is compared with the whole set. */
    hash: text('hash').notNull(),
    salt: text('salt').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    usedAt: timestamptz('used_at'),
    /** The sign-in that it completed; null if it is unused, or was used for something else. */
    challengeId: uuid('challenge_id'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] })],
);

/** Passkeys, which sign in on their own (Web Authentication). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Chosen by the authenticator; in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    publicKey: bytes('public_key').notNull(),
    /** Signature counter, if the authenticator has one; else 0. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    /** How browsers reach the authenticator. */
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    lastUsedAt: timestamptz('last_used_at'),
  },
  (table) => [index('passkeys_account').on(table.accountId)],
);
