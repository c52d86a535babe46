import { expect, test } from 'vitest';
import { formattersFor } from '~/billing/formatters.server';
import { canCancel, canResume, cardBrand, type OwnSubscription } from '~/billing/subscription.server';

function subscription(changes: Partial<OwnSubscription> = {}): OwnSubscription {
  return {
    reference: 'Q-7K3M9-QXD42',
    plan: 'basic_monthly',
    billingCycle: 'monthly',
    status: 'active',
    running: true,
    state: 'active' as const,
    cancelAtPeriodEnd: false,
    isOrdered: true,
    amount: '€9.90',
    orderedAt: null,
    trialEnd: null,
    nextRenewal: null,
    accessUntil: '2 April 2026',
    cancellation: null,
    withdraw: null,
    card: null,
    next: null,
    switch: null,
    declarations: [],
    ...changes,
  };
}

test('a running subscription can be cancelled once, and resumed until it ends', () => {
  expect(canCancel(subscription())).toBe(true);
  expect(canCancel(subscription({ status: 'due_date' }))).toBe(true);
  expect(canCancel(subscription({ status: 'incomplete' }))).toBe(true);
  expect(canCancel(subscription({ status: 'canceled' }))).toBe(false);
  expect(canCancel(subscription({ status: 'expired' }))).toBe(false);
  expect(canCancel(subscription({ cancelAtPeriodEnd: true }))).toBe(false);
  const next = { code: 'end', date: '2 April 2026', amount: '€0.00' } as const;
  expect(canResume(subscription({ cancelAtPeriodEnd: true, next }))).toBe(true);
  expect(canResume(subscription({ next }))).toBe(false);
  expect(canResume(subscription({ cancelAtPeriodEnd: true, next: null }))).toBe(false);
});

test('access granted without an order can be neither cancelled nor resumed', () => {
  expect(canCancel(subscription({ isOrdered: false }))).toBe(false);
  expect(canResume(subscription({ isOrdered: false, cancelAtPeriodEnd: true }))).toBe(false);
});

test('amounts and times are formatted for the language, in the time zone of the account', () => {
  const { money, dateTime, day } = formattersFor('gb', 'Europe/Paris');
  expect(money(10692)).toBe('€106.92');
  expect(dateTime('2026-07-01T22:30:00.000Z')).toMatch(/^2 July 2026 at 00:30/);
  expect(day('2026-01-31T23:30:00.000Z')).toBe('1 February 2026');
  expect(formattersFor('fr', 'Europe/Paris').money(990)).toMatch(/^9,90\s€$/);
});

test('a card brand is written in its usual spelling', () => {
  expect(cardBrand('visa')).toBe('Visa');
});
