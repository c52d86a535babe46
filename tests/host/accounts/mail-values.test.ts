import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCALE_CODES, type Locale } from '#contract/locales';
import { accounts } from '#host/db/accounts.tables';
import { renderMail } from '#host/mail/render';
import { dropOldAccountData } from '#host/privacy/account-retention';
import { createTestHost, START, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const SITE = 'https://www.quadrille.example';
const DAY_OF_DELETION: Record<Locale, string> = {
  gb: '2 March 2029',
  fr: '2 mars 2029',
  es: '2 de marzo de 2029',
  de: '2. März 2029',
  it: '2 marzo 2029',
};

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

/** A signed-in account with this language. */
async function accountIn(locale: Locale) {
  const account = await host.account({ access: false });
  await host.db.orm.update(accounts).set({ locale }).where(eq(accounts.id, account.id));
  return account;
}

/** The path and token of the link in the newest mail with a template to an address, and the whole mail. */
async function newest(to: string, template: string) {
  const mail = (await host.mails()).find(
    (kept) => kept.to === to && kept.template === `account-mail.${template}`,
  );
  const [, path = '', token = ''] = /(\/[\w-]+)\?token=([\w-]{43})/.exec(mail?.text ?? '') ?? [];
  return { mail, path, token };
}

async function expectMail(to: string, template: string, locale: Locale, values: Record<string, string>) {
  const { appName, contactEmail } = host.deps.settings;
  const site = { appName, contactEmail, publicUrl: SITE };
  const { mail } = await newest(to, template);
  const { subject, text } = renderMail(`account-mail.${template}`, locale, values, site);
  expect({ subject: mail?.subject, text: mail?.text }).toEqual({ subject, text });
}

test.each(LOCALE_CODES)(
  '%s: the mails about passwords and addresses state what they are about',
  async (locale) => {
    const [account, known] = [await accountIn(locale), await host.account()];
    const { email } = account;
    await send(host, 'POST', '/api/account/forgot-password', { email, locale });
    const reset = await newest(email, 'reset_password');
    expect(reset.path).toBe('/reset-password');
    const actionUrl = `${SITE}/reset-password?token=${reset.token}`;
    await expectMail(email, 'reset_password', locale, { minutes: '30', actionUrl });
    expect(reset.mail?.usefulUntil).toEqual(new Date(host.clock.now().getTime() + 30 * 60_000));

    const newEmail = `new-${email}`;
    const request = (to: string) => {
      const fields = { firstName: 'A', lastName: 'B', email: to, currentPassword: account.password };
      return send(host, 'PUT', '/api/account/profile', fields, account);
    };
    await request(known.email);
    await expectMail(known.email, 'email_taken', locale, { actionUrl: `${SITE}/login` });
    host.clock.advance(1_000);
    await request(newEmail);
    await expectMail(email, 'email_change_notice', locale, { newEmail, actionUrl: `${SITE}/user/settings` });
    const requested = await newest(newEmail, 'confirm_email');
    const confirmUrl = `${SITE}/confirm-email?token=${requested.token}`;
    await expectMail(newEmail, 'confirm_email', locale, {
      email: newEmail,
      hours: '24',
      actionUrl: confirmUrl,
    });
    await send(host, 'POST', '/api/account/confirm-email', { token: requested.token }, account);
    await expectMail(email, 'email_changed', locale, { newEmail });
    // The link went to the old address, which may be somebody else's by now.
    const fields = {
      token: reset.token,
      password: 'seven green boats',
      confirmPassword: 'seven green boats',
    };
    const used = await send(host, 'POST', '/api/account/reset-password', fields);
    expect(used.body.errors).toEqual({ token: ['token_expired'] });

    const words = { currentPassword: account.password, newPassword: 'seven green boats at dawn' };
    await send(host, 'POST', '/api/account/change-password', words, account);
    await expectMail(newEmail, 'password_changed', locale, { actionUrl: `${SITE}/forgot-password` });
    const { body } = await send(host, 'POST', '/api/login_check', {
      email: newEmail,
      password: words.newPassword,
    });
    await send(host, 'DELETE', '/api/account', { password: words.newPassword }, { token: body.token });
    await expectMail(newEmail, 'account_deleted', locale, { appName: 'Quadrille' });
  },
);

test.each(LOCALE_CODES)('%s: the notice of a deletion names its day, thirty days ahead', async (locale) => {
  const before = host.clock.now();
  host.clock.set(START);
  const { email } = await accountIn(locale);
  host.clock.set(new Date('2029-01-31T10:00:00.001Z'));
  await dropOldAccountData(host.deps, host.clock.now());
  const values = { date: DAY_OF_DELETION[locale], actionUrl: `${SITE}/login` };
  await expectMail(email, 'inactivity_notice', locale, values);
  host.clock.set(before);
});
