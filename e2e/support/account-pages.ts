import { randomUUID } from 'node:crypto';
import { send } from '../../tests/support/json-calls';
import { askingProgram } from './asking-program';
import type { Account, Factories } from './fixtures';
import { host } from './host';
import { keyPages } from './key-pages';
import { mailedPath } from './mails';
import { beginTwoStep } from './two-step-pages';
import type { Visited } from './visited';
import { webhookPages } from './webhook-pages';

/** Every account page in each of its visually different states. */
export async function accountPages(
  factories: Factories,
  account: Account,
  refused: NonNullable<Visited['act']>,
): Promise<Visited[]> {
  const { email } = await factories.bought({ email: `${randomUUID()}@shop.example` });
  const onboarding = await mailedPath(factories, email);
  const address = `/user/settings/addresses/${await addAddress(account)}`;
  const unknown = 'x'.repeat(43);
  await requestEmailChange(account, `${randomUUID()}@test.example`);
  const ways = await factories.signInWays(account);
  const program = await askingProgram('Our writing assistant');
  const waiting = await factories.waiting((await factories.account({ access: false })).email);
  return [
    { name: 'declaration', path: waiting.declaration },
    { name: 'declaration, unknown link', path: `/declaration?token=${unknown}`, status: 404, isAlike: true },
    { name: 'order to confirm', path: waiting.order },
    {
      name: 'order to confirm, unknown link',
      path: `/confirm-order?token=${unknown}`,
      status: 404,
      isAlike: true,
    },
    { name: 'onboarding', path: onboarding },
    { name: 'onboarding, refused', path: onboarding, act: refused },
    { name: 'onboarding, unknown link', path: `/onboarding?token=${unknown}`, status: 404 },
    { name: 'onboarding, sent', path: '/onboarding?sent=1' },
    { name: 'forgot password', path: '/forgot-password' },
    { name: 'forgot password, sent', path: '/forgot-password?sent=1', isAlike: true },
    {
      name: 'reset password, unknown link',
      path: `/reset-password?token=${unknown}`,
      status: 404,
      isAlike: true,
    },
    { name: 'confirm e-mail, no link', path: '/confirm-email' },
    { name: 'shared report', path: await sharedReport(account) },
    { name: 'shared report, unknown link', path: `/report?token=${unknown}`, status: 404, isAlike: true },
    { name: 'mails off, unknown link', path: `/mails-off?token=${unknown}`, status: 404, isAlike: true },
    { name: 'dashboard', path: '/user/dashboard', signedIn: true },
    { name: 'settings', path: '/user/settings', signedIn: true },
    {
      name: 'consent for a program',
      path: '/user/settings/keys',
      signedIn: true,
      act: async (page) => void (await page.goto(program.path)),
    },
    { name: 'consent for a program, over', path: '/user/authorize/refused?error=over', status: 400 },
    { name: 'mails about codes', path: '/user/settings/mails', signedIn: true },
    { name: 'two-step login, off', path: '/user/settings/two-step', signedIn: true },
    { name: 'two-step login, refused', path: '/user/settings/two-step', signedIn: true, act: refused },
    {
      name: 'two-step login, being set up',
      path: '/user/settings/two-step',
      signedIn: true,
      act: (page) => beginTwoStep(page, account),
    },
    { name: 'passkeys', path: '/user/settings/passkeys', signedIn: true },
    { name: 'remove a passkey', path: `/user/settings/passkeys/${ways.passkey}`, signedIn: true },
    ...(await keyPages(account, refused)),
    ...(await webhookPages(account, refused)),
    { name: 'remove a Google account', path: `/user/settings/google/${ways.google}`, signedIn: true },
    { name: 'new address', path: '/user/settings/addresses/new', signedIn: true },
    { name: 'new address, refused', path: '/user/settings/addresses/new', signedIn: true, act: refused },
    { name: 'address', path: address, signedIn: true },
    { name: 'delete an address', path: `${address}/delete`, signedIn: true },
    { name: 'delete the account', path: '/user/settings/delete', signedIn: true },
  ];
}

/** Shares a report, which its owner's page lists from then on. */
async function sharedReport({ token }: Account): Promise<string> {
  const report = { name: 'Client', filter: {}, days: 30 };
  const { body } = await send(host, 'POST', '/api/reports', report, { token });
  return `/report?token=${(body.data as { token: string }).token}`;
}

/** Requests a change of e-mail address, which then shows as pending in the settings. */
async function requestEmailChange({ token, password }: Account, email: string): Promise<void> {
  const profile = { firstName: 'Ada', lastName: 'Tester', email, currentPassword: password };
  await send(host, 'PUT', '/api/account/profile', profile, { token });
}

async function addAddress({ token }: Account): Promise<string> {
  const address = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
  const { body } = await send(host, 'POST', '/api/account/billing-addresses', address, { token });
  return (body.data as { id: string }).id;
}
