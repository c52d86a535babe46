import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getSite, listPlans } from '#contract/plans';
import { readEnv } from '#host/env';
import { identityOf, planSettingsOf } from '#host/plans/identity';
import { plansOf } from '#host/plans/plans';
import { createTestHost, type TestHost } from '../../support/host';

const TERMS = { trialHours: 48, withdrawalDays: 14, refundMinDays: 3, refundMaxDays: 10, objectionHours: 72 };
const ENV = { NODE_ENV: 'test' as const, JWT_SECRET: 'a secret long enough for a test of the settings' };
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

afterAll(() => host.close());

test('the plans are listed with prices and terms', async () => {
  const answer = await host.request('/api/plans');
  const { data } = listPlans.response.parse(await answer.json());
  expect(data.map(({ slug, interval }) => [slug, interval])).toEqual([
    ['basic_monthly', 'month'],
    ['basic_yearly', 'year'],
  ]);
  expect(data[0]).toMatchObject({
    priceCents: 990,
    discountPercent: 0,
    monthlyEquivalentCents: 990,
    ...TERMS,
  });
  expect(data[1]).toMatchObject({
    priceCents: 10_692,
    discountPercent: 10,
    monthlyEquivalentCents: 891,
    currency: 'EUR',
    vatIncluded: true,
    vatRatePercent: 20,
    features: ['unlimited', 'customise', 'statistics', 'redirects', 'support'],
  });
});

test('a plan is found by its slug only', async () => {
  const yearly = await host.request('/api/plans/basic_yearly');
  expect((await yearly.json()).data).toMatchObject({ slug: 'basic_yearly', priceCents: 10_692 });
  for (const slug of ['basic', 'BASIC_YEARLY', '%00', 'basic_yearly%0d'])
    expect((await host.request(`/api/plans/${slug}`)).status, slug).toBe(404);
});

test('the legal pages get the company that runs the service', async () => {
  const answer = await host.request('/api/site');
  const { data } = getSite.response.parse(await answer.json());
  expect(data).toMatchObject({
    appName: 'Quadrille',
    contactEmail: 'contact@quadrille.example',
    seller: { name: 'Carreau SAS', vat: 'FR44732829320' },
    hosting: { name: 'Hôte SARL' },
    mediator: { url: 'https://mediator.example' },
    priceMonthlyCents: 990,
    ...TERMS,
  });
});

test('the yearly price is a tenth cheaper than twelve months, rounded down to whole cents', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (priceMonthlyCents) => {
      const [monthly, yearly] = plansOf({ priceMonthlyCents, ...TERMS });
      const exact = priceMonthlyCents * 12 * 0.9;
      expect(monthly.priceCents).toBe(priceMonthlyCents);
      expect(Number.isInteger(yearly.priceCents)).toBe(true);
      expect(yearly.priceCents).toBeLessThanOrEqual(exact + 1e-6);
      expect(yearly.priceCents).toBeGreaterThan(exact - 1);
    }),
  );
});

test('the monthly equivalent is never lower than the yearly price', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (priceMonthlyCents) => {
      const [, { priceCents, monthlyEquivalentCents }] = plansOf({ priceMonthlyCents, ...TERMS });
      expect(monthlyEquivalentCents * 12).toBeGreaterThanOrEqual(priceCents);
      expect(monthlyEquivalentCents * 12).toBeLessThan(priceCents + 12);
    }),
  );
});

test('missing settings are reported as missing', () => {
  const env = readEnv({ ...ENV, SELLER_NAME: '', SELLER_VAT: 'FR44732829320' });
  expect(planSettingsOf(env)).toEqual({ priceMonthlyCents: 990, ...TERMS });
  expect(identityOf(env)).toMatchObject({
    seller: {
      name: "Quadrille (seller's name not yet set)",
      form: '(legal form not yet set)',
      vat: 'FR44732829320',
    },
    mediator: { name: '(consumer mediator not yet set)' },
  });
  expect(env.MAIL_FROM).toBe('Quadrille <contact@quadrille.example>');
});

test.each([
  ['PRICE_MONTHLY_CENTS', '9.90'],
  ['PRICE_MONTHLY_CENTS', '0'],
  ['TRIAL_HOURS', 'two days'],
  ['SMTP_URL', 'mail.example:25'],
  ['MAIL_FROM', 'Quadrille <a@b.example>\nBcc: c@d.example'],
])('%s=%j is refused at startup', (name, value) => {
  expect(() => readEnv({ ...ENV, [name]: value })).toThrow(name);
});
