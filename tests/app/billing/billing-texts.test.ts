import { expect, test } from 'vitest';
import { CheckoutForm } from '#contract/checkout';
import { DeclarationForm } from '#contract/contract-end';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import { SubscriptionStatus } from '#contract/subscriptions';
import { TransactionStatus } from '#contract/transactions';
import { i18nOf } from '~/i18n/messages.server';

const LONG = 'x'.repeat(400);
const BELL = 'a bell\u0007';
const whole = {
  slug: 'basic_monthly',
  name: 'Ada',
  email: 'ada@shop.example',
  address: '1 rue',
  zip_code: '75011',
  city: 'Paris',
  country: 'FR',
  professional: true,
  company: 'Carreau',
  terms: true,
  waiver: true,
};
const ORDERS = [
  { slug: 'basic_monthly' },
  { ...whole, name: LONG, email: `${LONG}@a.example`, address: LONG, zip_code: LONG, city: LONG },
  { ...whole, name: BELL, email: 'nobody', address: BELL, city: BELL, company: BELL },
  { ...whole, company: LONG, siret: LONG, vat_number: LONG, country: 'XX' },
  { ...whole, company: '', siret: '123', vat_number: 'FR12', zip_code: '1', terms: false, waiver: false },
  { ...whole, siret: '73282932000074', vat_number: 'FR83404833048', zip_code: '' },
  { ...whole, vat_number: 'DE136695976' },
];
const DECLARATIONS = [{}, { name: 'Ada', email: 'a@b.example', reference: LONG }, { reference: BELL }];
const codes = new Set([
  ...ORDERS.flatMap((form) => CheckoutForm.safeParse(form).error?.issues ?? []).map(({ message }) => message),
  ...DECLARATIONS.flatMap((form) => DeclarationForm.safeParse(form).error?.issues ?? []).map(
    ({ message }) => message,
  ),
]);

/** Words that make an order binding in each language (directive 2011/83/EU, article 8). */
const ORDER_WORDS: Record<Locale, RegExp> = {
  gb: /^Order with obligation to pay: €9\.90/,
  fr: /^Commander avec obligation de paiement\u202f: €9\.90/,
  es: /^Pedido con obligación de pago: €9\.90/,
  de: /^Zahlungspflichtig bestellen: €9\.90/,
  it: /^Ordine con obbligo di pagare: €9\.90/,
};

test('the cases cover many error codes', () => {
  expect(codes.size).toBeGreaterThan(20);
  expect([...codes]).toContain('vat_number_siret_differ');
});

test.each(LOCALE_CODES)(
  'every error code of an order or a declaration has its own message (%s)',
  (locale) => {
    const { exists } = i18nOf(locale);
    const unworded = [...codes, 'conflict', 'captcha_failed', 'rate_limited'].filter(
      (code) =>
        !exists(`billing:errors.${code}`, { fallbackLng: [] }) &&
        !exists(`common:errors.codes.${code}`, { fallbackLng: [] }),
    );
    expect(unworded).toEqual([]);
  },
);

test.each(LOCALE_CODES)('the order button states the obligation to pay and the amount (%s)', (locale) => {
  const { t } = i18nOf(locale);
  for (const slug of ['basic_monthly', 'basic_yearly']) {
    expect(t(`billing:checkout.button.${slug}`, { price: '€9.90' })).toMatch(ORDER_WORDS[locale]);
  }
});

test.each(LOCALE_CODES)('every status has a text (%s)', (locale) => {
  const { exists } = i18nOf(locale);
  const keys = [
    ...SubscriptionStatus.options.map((status) => `subscription.statuses.${status}`),
    ...TransactionStatus.options.map((status) => `transactions.statuses.${status}`),
  ];
  expect(keys).toHaveLength(13);
  expect(keys.filter((key) => !exists(`billing:${key}`, { fallbackLng: [] }))).toEqual([]);
});
