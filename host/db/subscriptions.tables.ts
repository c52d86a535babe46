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
import { LOCALES } from '#contract/locales';
import { accounts } from './accounts.tables';
import { timestamptz } from './columns';

/** The contract an account has now, or had last. `id` changes with every new contract. */
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
    /** Access lasts until then, whatever the status says. */
    accessUntil: timestamptz('access_until').notNull(),
    /** Null for access that was given without an order: nothing is ever charged for it. */
    orderId: uuid('order_id'),
    /** What one period of the present plan costs; whole cents. */
    priceCents: integer('price_cents').notNull().default(0),
    /** The other plan, from the next renewal on. */
    nextPlan: text('next_plan', { enum: ['basic_monthly', 'basic_yearly'] }),
    nextPriceCents: integer('next_price_cents'),
    startedAt: timestamptz('started_at'),
    trialEnd: timestamptz('trial_end'),
    /** Start of the first paid period. Every later one is counted from here, so that the 31st stays the 31st. */
    anchor: timestamptz('anchor'),
    /** Months from the anchor to the end of the present period. */
    months: integer('months').notNull().default(0),
    periodStart: timestamptz('period_start'),
    periodEnd: timestamptz('period_end'),
    /** Number of the period that is charged next; part of the key of the charge. */
    nextPeriod: integer('next_period').notNull().default(0),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    endedAt: timestamptz('ended_at'),
  },
  (table) => [uniqueIndex('subscriptions_id').on(table.id), index('subscriptions_order').on(table.orderId)],
);

/** Orders as placed, with the proof of what was agreed to. They outlive the account. */
export const orders = pgTable(
  'orders',
  {
    id: uuid('id').primaryKey(),
    /** Public and unguessable. */
    paymentIntent: text('payment_intent').notNull(),
    reference: text('reference').notNull(),
    /** `unconfirmed`: the card is entered, and the owner of the address has not said yes yet. */
    status: text('status', {
      enum: ['incomplete', 'unconfirmed', 'complete', 'failed', 'refused'],
    }).notNull(),
    /** Why a refused or failed order is so. */
    failure: text('failure'),
    /** Idempotency key of the form. */
    formKey: text('form_key'),
    email: text('email').notNull(),
    /** Who ordered signed in; null for everyone else. */
    accountId: uuid('account_id'),
    buyer: jsonb('buyer').notNull(),
    locale: text('locale', { enum: LOCALES }).notNull(),
    plan: text('plan', { enum: ['basic_monthly', 'basic_yearly'] }).notNull(),
    priceCents: integer('price_cents').notNull(),
    /** 0 where the first period is charged at once. */
    trialHours: integer('trial_hours').notNull(),
    draftId: uuid('draft_id'),
    /** SHA-256 of the key of the browser that ordered: it alone may correct the e-mail address. */
    visitorHash: text('visitor_hash'),
    /** SHA-256 of the terms as they stood, and when, where from they were agreed to. */
    termsVersion: text('terms_version').notNull(),
    waiverVersion: text('waiver_version').notNull(),
    consentIp: text('consent_ip').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    completedAt: timestamptz('completed_at'),
    /** Ids at the payment provider. */
    customerId: text('customer_id'),
    setupId: text('setup_id'),
    setupUrl: text('setup_url'),
    /** The contract it became, and whose that is. */
    subscriptionId: uuid('subscription_id'),
    ownerId: uuid('owner_id'),
    /** Of an order that waits for the owner of its address: until when, and SHA-256 of the mailed link's token. */
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

/** Work of the life cycle and when it is due, by the clock of the product. */
export const billingJobs = pgTable(
  'billing_jobs',
  {
    id: uuid('id').primaryKey(),
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
      ],
    }).notNull(),
    /** Of the account, order, refund, declaration or event it is about. */
    subject: text('subject').notNull(),
    /** Of a charge, or of a mail about one: the contract and its period, without which the job is void. */
    subscriptionId: uuid('subscription_id'),
    period: integer('period'),
    /** Place of a charge among the planned attempts; null for one between them. */
    planned: integer('planned'),
    /** A second job with the same key is not enqueued. */
    dedupeKey: text('dedupe_key').notNull(),
    dueAt: timestamptz('due_at').notNull(),
    /** While a node is at it, or waits after an error: until when, by the clock of the database. */
    claimedUntil: timestamptz('claimed_until'),
    attempts: integer('attempts').notNull().default(0),
    doneAt: timestamptz('done_at'),
    lastError: text('last_error'),
  },
  (table) => [
    uniqueIndex('billing_jobs_dedupe_key').on(table.dedupeKey),
    index('billing_jobs_due').on(table.dueAt).where(sql`${table.doneAt} is null`),
    index('billing_jobs_subject').on(table.subject).where(sql`${table.doneAt} is null`),
  ],
);

/** What was declared on the pages for cancelling and withdrawing, unchanged, whether or not a contract was found. */
export const declarations = pgTable(
  'declarations',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind', { enum: ['cancel', 'withdraw', 'money_back'] }).notNull(),
    formKey: text('form_key'),
    name: text('name').notNull(),
    email: text('email').notNull(),
    reference: text('reference').notNull(),
    locale: text('locale', { enum: LOCALES }).notNull(),
    receivedAt: timestamptz('received_at').notNull(),
    /** Whose session it was made in; null where nobody was signed in. */
    callerId: uuid('caller_id'),
    /** `waiting` for the owner's objection period; `repeated` while another of its kind waits. */
    outcome: text('outcome', {
      enum: ['unmatched', 'waiting', 'repeated', 'undone', 'done', 'nothing_to_do', 'too_late'],
    }),
    subscriptionId: uuid('subscription_id'),
    /** What showed that the owner means it; `period` where nobody objected. */
    proof: text('proof', { enum: ['session', 'reference', 'link', 'period'] }),
    /** Of one that waits or waited: end of the objection period, and SHA-256 of the mailed link's token. */
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
