import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** The card that an account pays with: only what a person recognises it by, not its number. */
export const paymentMethods = pgTable(
  'payment_methods',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    provider: text('provider', { enum: ['sandbox', 'stripe'] }).notNull(),
    customerId: text('customer_id').notNull(),
    methodId: text('method_id').notNull(),
    brand: text('brand').notNull(),
    last4: text('last4').notNull(),
    expMonth: integer('exp_month').notNull(),
    expYear: integer('exp_year').notNull(),
    /** SHA-256 of the provider's fingerprint of the card. */
    fingerprintHash: text('fingerprint_hash').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
  },
  (table) => [index('payment_methods_customer').on(table.customerId)],
);

/** One row per period that was or is to be paid: an account's transactions. Kept with the invoices. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    subscriptionId: uuid('subscription_id').notNull(),
    /** 0 for the first paid period of the contract. */
    period: integer('period').notNull(),
    plan: text('plan', { enum: ['basic_monthly', 'basic_yearly'] }).notNull(),
    amountCents: integer('amount_cents').notNull(),
    refundedCents: integer('refunded_cents').notNull().default(0),
    status: text('status', {
      enum: ['paid', 'pending', 'failed', 'refunded', 'voided', 'uncollectible', 'open'],
    }).notNull(),
    periodStart: timestamptz('period_start'),
    periodEnd: timestamptz('period_end'),
    /** When the first attempt was due. */
    dueAt: timestamptz('due_at').notNull(),
    paidAt: timestamptz('paid_at'),
    attempts: integer('attempts').notNull().default(0),
    failure: text('failure'),
    cardBrand: text('card_brand').notNull().default(''),
    cardLast4: text('card_last4').notNull().default(''),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('payments_period').on(table.subscriptionId, table.period),
    index('payments_newest').on(table.accountId, table.createdAt, table.id),
  ],
);

/** Written before the provider is called. Because of `key`, calling it twice charges once. */
export const paymentAttempts = pgTable(
  'payment_attempts',
  {
    key: text('key').primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    number: integer('number').notNull(),
    /** Index among the planned attempts, from 0; null for an extra one after a change of card. */
    planned: integer('planned'),
    customerId: text('customer_id').notNull(),
    methodId: text('method_id').notNull(),
    cardBrand: text('card_brand').notNull(),
    cardLast4: text('card_last4').notNull(),
    status: text('status', { enum: ['started', 'pending', 'succeeded', 'failed'] }).notNull(),
    chargeId: text('charge_id'),
    failure: text('failure'),
    startedAt: timestamptz('started_at').notNull(),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [
    uniqueIndex('payment_attempts_number').on(table.paymentId, table.number),
    uniqueIndex('payment_attempts_charge').on(table.chargeId),
  ],
);

export const refunds = pgTable(
  'refunds',
  {
    id: uuid('id').primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    amountCents: integer('amount_cents').notNull(),
    reason: text('reason', {
      enum: ['withdrawal', 'money_back', 'after_end', 'provider', 'goodwill'],
    }).notNull(),
    status: text('status', { enum: ['requested', 'pending', 'succeeded', 'failed'] }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    refundId: text('refund_id'),
    requestedAt: timestamptz('requested_at').notNull(),
    /** The money is back on the card between these dates. */
    expectedFrom: timestamptz('expected_from').notNull(),
    expectedUntil: timestamptz('expected_until').notNull(),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [
    uniqueIndex('refunds_payment').on(table.paymentId),
    uniqueIndex('refunds_provider').on(table.refundId),
  ],
);

/** Events of the provider, each once. An event is only a hint: the current state of its object is fetched. */
export const paymentEvents = pgTable('payment_events', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  object: text('object', { enum: ['setup', 'charge', 'refund', 'customer', 'dispute'] }).notNull(),
  objectId: text('object_id').notNull(),
  receivedAt: timestamptz('received_at').notNull(),
});

/** All data of the embedded payment provider; nothing else reads it. */
export const sandboxObjects = pgTable(
  'sandbox_objects',
  {
    id: text('id').primaryKey(),
    kind: text('kind', { enum: ['customer', 'setup', 'method', 'charge', 'refund', 'portal'] }).notNull(),
    customerId: text('customer_id'),
    /** Idempotency key. */
    key: text('key'),
    data: jsonb('data').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('sandbox_objects_key').on(table.key),
    index('sandbox_objects_customer').on(table.customerId, table.createdAt),
  ],
);

/** Webhooks of the embedded provider on their way to us. */
export const sandboxEvents = pgTable(
  'sandbox_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    objectId: text('object_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    dueAt: timestamptz('due_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    claimedUntil: timestamptz('claimed_until'),
    deliveredAt: timestamptz('delivered_at'),
  },
  (table) => [index('sandbox_events_due').on(table.dueAt).where(sql`${table.deliveredAt} is null`)],
);

/** A single row: how far the product's clock is ahead of the machine's. */
export const sandboxClock = pgTable('sandbox_clock', {
  id: integer('id').primaryKey(),
  aheadMs: text('ahead_ms').notNull(),
});
