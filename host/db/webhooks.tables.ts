import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { DELIVERY_STATES, OFF_REASONS, WEBHOOK_EVENTS } from '#contract/webhook-events';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** Addresses of programs that are told what happens to the codes of an account. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    url: text('url').notNull(),
    description: text('description').notNull(),
    events: text('events', { enum: WEBHOOK_EVENTS }).array().notNull(),
    /** Label of the tag that it is limited to, which no code may have at the moment. */
    tag: text('tag'),
    /** With which messages are signed, sealed for this webhook. */
    sealed: text('sealed').notNull(),
    /** The secret before the last rotation, and until when messages are signed with it too. */
    earlierSealed: text('earlier_sealed'),
    earlierEndsAt: timestamptz('earlier_ends_at'),
    /** Since when it gets nothing; null while it is on. */
    offAt: timestamptz('off_at'),
    offReason: text('off_reason', { enum: OFF_REASONS }),
    /** Whether its last response was slow or a failure: such webhooks share fewer connections. */
    isSlow: boolean('is_slow').notNull().default(false),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
    /** Idempotency key of the form or request that made it. */
    formKey: text('form_key'),
  },
  (table) => [
    index('webhooks_account').on(table.accountId, table.createdAt),
    uniqueIndex('webhooks_form_key').on(table.accountId, table.formKey),
  ],
);

// The others do not refer to the account: it is locked before codes and webhooks, and they are written after these.

/** What happened, once for all webhooks that are told; kept for 30 days. */
export const webhookEvents = pgTable(
  'webhook_events',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    type: text('type', { enum: [...WEBHOOK_EVENTS, 'test'] }).notNull(),
    at: timestamptz('at').notNull(),
    codeId: uuid('code_id'),
    /** Of the code: its addresses are made when a message is sent. */
    slug: text('slug'),
    /** The code as it was, without its addresses, and what else is told. */
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index('webhook_events_account').on(table.accountId),
    index('webhook_events_age').using('brin', table.at),
  ],
);

/** Messages to webhooks, written with what they tell of, so that none is lost. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Those about one code go out in this order. */
    place: bigint('place', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    webhookId: uuid('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    eventId: uuid('event_id')
      .notNull()
      .references(() => webhookEvents.id, { onDelete: 'cascade' }),
    codeId: uuid('code_id'),
    /** Sent by hand: once, at once, also while the webhook is off. */
    isManual: boolean('is_manual').notNull().default(false),
    status: text('status', { enum: DELIVERY_STATES }).notNull().default('waiting'),
    createdAt: timestamptz('created_at').notNull(),
    dueAt: timestamptz('due_at').notNull(),
    /** While a node is sending it: until when, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    /** How often it was claimed, which tells a node whether it still holds it. */
    attempts: integer('attempts').notNull().default(0),
    /** How often it was refused or not answered. */
    failures: integer('failures').notNull().default(0),
    /** The last attempt: its time, the status of the response or why there was none, and how it began. */
    triedAt: timestamptz('tried_at'),
    response: integer('response'),
    problem: text('problem'),
    ms: integer('ms'),
    excerpt: text('excerpt'),
  },
  (table) => [
    index('webhook_deliveries_log').on(table.webhookId, table.place),
    index('webhook_deliveries_event').on(table.eventId),
    index('webhook_deliveries_due').on(table.dueAt).where(sql`${table.status} = 'waiting'`),
    index('webhook_deliveries_order')
      .on(table.webhookId, table.codeId, table.place)
      .where(sql`${table.status} = 'waiting'`),
  ],
);

/** Up to where the visits of an account were told: a transaction, as in `code_totals.counted_in`, and the end of an hour. */
export const webhookPositions = pgTable('webhook_positions', {
  accountId: uuid('account_id').primaryKey(),
  countedIn: bigint('counted_in', { mode: 'number' }).notNull(),
  hour: timestamptz('hour').notNull(),
});

/** How many visits of a code were told, or came before anybody asked to be told. */
export const webhookTotals = pgTable(
  'webhook_totals',
  {
    codeId: uuid('code_id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    visits: bigint('visits', { mode: 'number' }).notNull(),
  },
  (table) => [index('webhook_totals_account').on(table.accountId)],
);
