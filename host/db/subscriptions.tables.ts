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
import { LOCALE_CODES } from '#contract/locales';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** The current or last contract of an account. `id` changes with every new contract. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    id: uuid('id').notNull().defaultRandom(),
    plan: text('plan').notNull(),
    status: text('status', {
      enum: ['active', 'due_date', 'incomplete', 'expired', 'trialing', 'canceled'],
    }).notNull(),
    /** Access lasts until then, regardless of the status. */
    accessUntil: timestamptz('access_until').notNull(),
    /** Null for access granted without an order, which is never charged. */
    orderId: uuid('order_id'),
    /** The price of one period of the current plan, in cents. */
    priceCents: integer('price_cents').notNull().default(0),
    /** A planned change of plan, effective from the next renewal. */
    nextPlan: text('next_plan', { enum: ['basic_monthly', 'basic_yearly'] }),
    nextPriceCents: integer('next_price_cents'),
    startedAt: timestamptz('started_at'),
    trialEnd: timestamptz('trial_end'),
    /** Start of the first paid period. All later ones are counted from here, so that the 31st stays the 31st. */
    anchor: timestamptz('anchor'),
    /** Months from the anchor to the end of the current period. */
    months: integer('months').notNull().default(0),
    periodStart: timestamptz('period_start'),
    periodEnd: timestamptz('period_end'),
    /** Number of the period to be charged next; part of the key of the charge. */
    nextPeriod: integer('next_period').notNull().default(0),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [uniqueIndex('subscriptions_id').on(table.id), index('subscriptions_order').on(table.orderId)],
);

/** Orders as placed, with the proof of consent. They outlive the account. */
export const orders = pgTable(
  'orders',
  {
    id: uuid('id').primaryKey(),
    /** Public and unguessable. */
    paymentIntent: text('payment_intent').notNull(),
    reference: text('reference').notNull(),
    /** `unconfirmed`: a card was entered, but the owner of the address has not confirmed the order yet. */
    status: text('status', {
      enum: ['incomplete', 'unconfirmed', 'complete', 'failed', 'refused'],
    }).notNull(),
    /** Why an order was refused or failed. */
    failure: text('failure'),
    /** Idempotency key of the form. */
    formKey: text('form_key'),
    email: text('email').notNull(),
    /** The account that was signed in; null if none was. */
    accountId: uuid('account_id'),
    buyer: jsonb('buyer').notNull(),
    locale: text('locale', { enum: LOCALE_CODES }).notNull(),
    plan: text('plan', { enum: ['basic_monthly', 'basic_yearly'] }).notNull(),
    priceCents: integer('price_cents').notNull(),
    /** 0 if the first period is charged at once. */
    trialHours: integer('trial_hours').notNull(),
    draftId: uuid('draft_id'),
    /** SHA-256 of the key of the browser that ordered: only that browser may correct the e-mail address. */
    visitorHash: text('visitor_hash'),
    /** SHA-256 of the terms agreed to, and when and from which IP address. */
    termsVersion: text('terms_version').notNull(),
    waiverVersion: text('waiver_version').notNull(),
    consentIp: text('consent_ip').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    completedAt: timestamptz('completed_at'),
    /** Ids at the payment provider. */
    customerId: text('customer_id'),
    setupId: text('setup_id'),
    setupUrl: text('setup_url'),
    /** The contract it became, and its account. */
    subscriptionId: uuid('subscription_id'),
    ownerId: uuid('owner_id'),
    /** For an order held for the owner of its address: until when, and SHA-256 of the mailed link's token. */
    confirmBy: timestamptz('confirm_by'),
    tokenHash: text('token_hash'),
  },
  (table) => [
    uniqueIndex('orders_token_hash').on(table.tokenHash),
    uniqueIndex('orders_payment_intent').on(table.paymentIntent),
    uniqueIndex('orders_reference').on(table.reference),
    uniqueIndex('orders_form_key').on(sql`lower(${table.email})`, table.formKey),
    index('orders_setup').on(table.setupId),
    index('orders_email').on(sql`lower(${table.email})`, table.createdAt),
    index('orders_account').on(table.accountId),
    index('orders_owner').on(table.ownerId),
  ],
);

/** Who had a trial: SHA-256 of an e-mail address, an account's id or a card's fingerprint. Outlives the account. */
export const trials = pgTable(
  'trials',
  {
    kind: text('kind', { enum: ['email', 'account', 'card', 'money_back'] }).notNull(),
    hash: text('hash').notNull(),
    at: timestamptz('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.hash] })],
);

/** Declarations from the pages for cancelling and withdrawing, verbatim, whether or not they match a contract. */
export const declarations = pgTable(
  'declarations',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['cancel', 'withdraw', 'money_back'] }).notNull(),
    formKey: text('form_key'),
    name: text('name').notNull(),
    email: text('email').notNull(),
    reference: text('reference').notNull(),
    locale: text('locale', { enum: LOCALE_CODES }).notNull(),
    receivedAt: timestamptz('received_at').notNull(),
    /** The account that was signed in; null if none was. */
    callerId: uuid('caller_id'),
    /** `waiting` during the owner's objection period; `repeated` if another of its kind was already waiting. */
    outcome: text('outcome', {
      enum: ['unmatched', 'waiting', 'repeated', 'undone', 'done', 'nothing_to_do', 'too_late'],
    }),
    subscriptionId: uuid('subscription_id'),
    /** What proves that it comes from the owner; `period` if nobody objected in time. */
    proof: text('proof', { enum: ['session', 'reference', 'link', 'period'] }),
    /** If it waits or waited: the end of the objection period, and SHA-256 of the mailed link's token. */
    effectiveAt: timestamptz('effective_at'),
    tokenHash: text('token_hash'),
    decidedAt: timestamptz('decided_at'),
  },
  (table) => [
    uniqueIndex('declarations_form_key').on(table.kind, sql`lower(${table.email})`, table.formKey),
    index('declarations_age').on(table.receivedAt),
    index('declarations_email').on(sql`lower(${table.email})`),
    uniqueIndex('declarations_token_hash').on(table.tokenHash),
    index('declarations_waiting').on(table.subscriptionId).where(sql`${table.outcome} = 'waiting'`),
  ],
);
