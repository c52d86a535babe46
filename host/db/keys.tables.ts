import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Keys with which programs call the API, and grants by OAuth, which have no secret of their own; ended ones are deleted. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    permission: text('permission', { enum: ['read', 'change'] }).notNull(),
    /** Label of the tag that it is limited to, which no code may have at the moment. */
    tag: text('tag'),
    /** Of web pages that may call with it. */
    origins: text('origins').array().notNull().default([]),
    /** SHA-256 of the secret, which has 178 random bits; nothing else is stored of it but its end. */
    hash: text('hash').notNull(),
    lastFour: text('last_four').notNull(),
    /** The secret before the last renewal, and until when it works. */
    earlierHash: text('earlier_hash'),
    earlierLastFour: text('earlier_last_four'),
    earlierExpiresAt: timestamptz('earlier_expires_at'),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at'),
    /** How long each of its secrets lives; null without an end, of a grant, and if an earlier release made it. */
    days: integer('days'),
    lastUsedAt: timestamptz('last_used_at'),
    /** Idempotency key of the form that gave it its secret. */
    formKey: text('form_key'),
    /** Of a grant: the client it was given to, the host that it named, and what its tokens are for. */
    clientId: text('client_id'),
    clientHost: text('client_host'),
    resource: text('resource', { enum: ['api', 'mcp'] }),
  },
  (table) => [
    uniqueIndex('api_keys_hash').on(table.hash),
    uniqueIndex('api_keys_earlier_hash').on(table.earlierHash),
    index('api_keys_account').on(table.accountId, table.createdAt),
  ],
);

/** Requests with an `Idempotency-Key`, and the responses to those that took effect; kept for a day. */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    keyId: uuid('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    path: text('path').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of what the request asks for. */
    fingerprint: text('fingerprint').notNull(),
    /** Null while it is running. */
    status: integer('status'),
    body: text('body'),
    etag: text('etag'),
    startedAt: timestamptz('started_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.path, table.idempotencyKey] }),
    index('idempotent_requests_age').on(table.startedAt),
  ],
);

/** What the authorization server stores: clients, requests, grants, codes and tokens. */
export const oauthRecords = pgTable(
  'oauth_records',
  {
    kind: text('kind').notNull(),
    /** SHA-256 of the code or token, of which nothing else is stored, or of the name of a client or a request. */
    hash: text('hash').notNull(),
    /** The grant that it belongs to. */
    keyId: uuid('key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
    payload: jsonb('payload').notNull(),
    consumedAt: timestamptz('consumed_at'),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.hash] }),
    index('oauth_records_key').on(table.keyId),
    index('oauth_records_end').on(table.expiresAt),
  ],
);
