import { expect } from 'vitest';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import { fillText } from '#host/invoices/wording';
import { renderMail } from '#host/mail/render';
import { BILLING_TEXTS } from '#host/mail/texts';
import type { TestHost } from '../../support/host';
import { afterDays, test } from '../../support/host-test';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  billingMail,
  buy,
  checkout,
  enterCard,
  onboard,
  placeOrder,
} from '../../support/ordering';
import { declare } from './declaring';

const CARD = { brand: 'Visa', last4: '4242' };
const PAGE = { actionUrl: 'https://www.quadrille.example/user/subscription' };

/** As each language writes it; times are those of the usual zone of the language. */
const FORMS: Record<
  Locale,
  { money: (euros: string) => string; day: (n: number, inApril?: boolean) => string; at: string }
> = {
  gb: {
    money: (x) => `€${x}`,
    day: (n, april) => `${n} ${april ? 'April' : 'March'} 2026`,
    at: ' at 10:00 GMT',
  },
  fr: {
    money: (x) => `${x.replace('.', ',')} €`,
    day: (n, april) => `${n} ${april ? 'avril' : 'mars'} 2026`,
    at: ' à 11:00 (heure de Paris)',
  },
  es: {
    money: (x) => `${x.replace('.', ',')} €`,
    day: (n, april) => `${n} de ${april ? 'abril' : 'marzo'} de 2026`,
    at: ' a las 11:00 CET',
  },
  de: {
    money: (x) => `${x.replace('.', ',')} €`,
    day: (n, april) => `${n}. ${april ? 'April' : 'März'} 2026`,
    at: ' um 11:00 MEZ',
  },
  it: {
    money: (x) => `${x.replace('.', ',')} €`,
    day: (n, april) => `${n} ${april ? 'aprile' : 'marzo'} 2026`,
    at: ' alle 11:00 CET',
  },
};

/** Words and values of a language, and a check of the newest mail with a template: its whole text and subject. */
function language(host: TestHost, locale: Locale) {
  const texts = BILLING_TEXTS[locale];
  const { money, day, at } = FORMS[locale];
  const { appName, contactEmail, publicUrl } = host.deps.settings;
  const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');
  return {
    texts,
    money,
    day,
    moment: (n: number) => day(n) + at,
    /** An hour later by clocks in summer, at the same time of day in UTC. */
    inApril: (n: number) =>
      (day(n, true) + at)
        .replace(/1[01]:00/, inSummer)
        .replace(/CET|MEZ|GMT/, (zone) => SUMMER[zone] ?? zone),
    card: fillText(texts.card, CARD),
    expectMail: async (bought: { email: string }, template: string, values: Record<string, string>) => {
      const expected = renderMail(`billing-mail.${template}`, locale, values, {
        appName,
        contactEmail,
        publicUrl,
      });
      expect(await billingMail(host, bought, template)).toEqual({
        subject: plain(expected.subject),
        text: plain(expected.text),
      });
    },
  };
}

const inSummer = (time: string) => (time === '11:00' ? '12:00' : '11:00');
const SUMMER: Record<string, string> = { MEZ: 'MESZ', CET: 'CEST', GMT: 'BST' };

test('once the zone of an account is known, mails tell times in it, as its pages do', async ({ host }) => {
  const bought = await buy(host, {});
  const token = await onboard(host, bought.email);
  await send(host, 'PUT', '/api/account/time-zone', { timeZone: 'Asia/Tokyo' }, { token });
  await act(host, token, 'cancel');
  const { text } = await billingMail(host, bought, 'canceled');
  expect(text).toContain('4 March 2026 at 19:00 GMT+9');
});

for (const locale of LOCALE_CODES) {
  test(`${locale}: the mails of a trial state its plan, prices and dates`, async ({ host }) => {
    const { texts, money, day, moment, inApril, card, expectMail } = language(host, locale);
    const { basic_monthly: monthly, basic_yearly: yearly } = texts.plans;
    const bought = await buy(host, { locale });
    const { reference } = bought;
    await expectMail(bought, 'order_confirmed', {
      reference,
      plan: monthly,
      price: fillText(texts.prices.basic_monthly, { amount: money('9.90') }),
      trialEnd: moment(4),
      nextCharge: fillText(texts.charges.first, { amount: money('9.90'), date: moment(4) }),
      withdrawal: fillText(texts.withdrawal_consumer, {
        date: day(16),
        publicUrl: 'https://www.quadrille.example',
      }),
    });
    const token = await onboard(host, bought.email);
    await act(host, token, 'switch', { plan: 'basic_yearly' });
    const next = { amount: money('106.92'), nextAt: moment(4), ...PAGE };
    await expectMail(bought, 'switched', { plan: yearly, fromAt: moment(2), ...next });
    await act(host, token, 'cancel');
    await expectMail(bought, 'canceled', { plan: yearly, endAt: moment(4), dropped: '', ...PAGE });
    await act(host, token, 'resume');
    await expectMail(bought, 'resumed', { plan: yearly, ...next });
    await act(host, token, 'switch', { plan: 'basic_monthly' });
    await advance(host, '24h');
    const due = { plan: monthly, amount: money('9.90'), firstChargeAt: moment(4), card };
    await expectMail(bought, 'trial_reminder', { ...due, ...PAGE });
    await advance(host, '24h');
    await expectMail(bought, 'receipt', {
      number: 'F2026-000001',
      amount: money('9.90'),
      card,
      plan: monthly,
      period: fillText(texts.period, { from: day(4), until: day(4, true) }),
      nextCharge: fillText(texts.charges.next, { amount: money('9.90'), date: inApril(4) }),
      ...PAGE,
    });
  });

  test(`${locale}: the mails about failed charges state the card and the next attempt`, async ({ host }) => {
    const { texts, money, moment, expectMail } = language(host, locale);
    const plan = texts.plans.basic_monthly;
    const bought = await buy(host, { locale }, 'neverAgain');
    await advance(host, '48h');
    const failed = {
      plan,
      amount: money('9.90'),
      card: fillText(texts.card, { brand: 'Visa', last4: '0341' }),
    };
    const access = fillText(texts.access_closed, { date: moment(4) });
    for (const [by, day] of [
      ['0h', 7],
      ['3d', 9],
      ['2d', 11],
      ['2d', 18],
    ] as const) {
      await advance(host, by);
      await expectMail(bought, 'charge_failed', { ...failed, retryAt: moment(day), access, ...PAGE });
    }
    await advance(host, '7d');
    await expectMail(bought, 'charge_given_up', { plan, amount: money('9.90'), ...PAGE });
  });

  test(`${locale}: the mails of a withdrawal state what is paid back, and when`, async ({ host }) => {
    const { texts, money, day, moment, inApril, card, expectMail } = language(host, locale);
    const plan = texts.plans.basic_monthly;
    const bought = await buy(host, { locale, trial: false });
    const { reference, email, body } = bought;
    await expectMail(bought, 'order_paid', {
      reference,
      plan,
      amount: money('9.90'),
      nextCharge: fillText(texts.charges.next, { amount: money('9.90'), date: inApril(2) }),
      withdrawal: fillText(texts.withdrawal_consumer, {
        date: day(16),
        publicUrl: 'https://www.quadrille.example',
      }),
    });
    await advance(host, '24h');
    await declare(host, 'withdraw', bought, { reference, locale });
    const receivedAt = moment(3);
    await expectMail(bought, 'withdraw_received', {
      receivedAt,
      hours: '72',
      details: fillText(texts.declared_details, { name: body.name, email, reference }),
    });
    const dates = { from: day(6), until: day(17) };
    await expectMail(bought, 'withdrawn', { plan, endAt: moment(3), amount: money('9.90'), ...dates });
    await expectMail(bought, 'refunded', { number: 'A2026-000001', amount: money('9.90'), card, ...PAGE });
  });
}

test('the mails that ask for a decision state their deadline, and are not sent after it', async ({
  host,
}) => {
  const account = await host.account({ access: false });
  const { expectMail, moment, texts } = language(host, 'gb');
  const { redirectUrl } = await placeOrder(host, checkout({ email: account.email, trial: false }));
  await enterCard(host, redirectUrl);
  const mailOf = async (email: string, template: string) => {
    const mail = (await host.mails()).find((kept) => kept.to === email && kept.template.endsWith(template));
    return { mail, actionUrl: /https:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? '' };
  };
  const plan = texts.plans.basic_monthly;
  const held = await mailOf(account.email, '.order_held');
  expect(held.actionUrl).toMatch(/^https:\/\/www\.quadrille\.example\/confirm-order\?token=[\w-]{43}$/);
  const dates = { placedAt: moment(2), confirmBy: moment(9) };
  await expectMail(account, 'order_held', {
    plan,
    price: '€9.90 per month',
    ...dates,
    actionUrl: held.actionUrl,
  });
  expect(held.mail?.usefulUntil?.toISOString()).toBe(afterDays(7));

  const bought = await buy(host);
  await declare(host, 'cancel', bought);
  const waiting = await mailOf(bought.email, '.declaration_waiting');
  expect(waiting.actionUrl).toMatch(/^https:\/\/www\.quadrille\.example\/declaration\?token=[\w-]{43}$/);
  await expectMail(bought, 'declaration_waiting', {
    plan,
    declared: texts.declared.cancel,
    receivedAt: moment(2),
    effectiveAt: moment(5),
    actionUrl: waiting.actionUrl,
  });
  expect(waiting.mail?.usefulUntil?.toISOString()).toBe(afterDays(3));
});
