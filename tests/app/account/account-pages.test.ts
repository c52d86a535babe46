import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { grantAccess } from '#host/accounts/store';
import { accounts } from '#host/db/accounts.tables';
import { openBrowser, textOf } from '../../support/browser';
import { send } from '../../support/json-calls';
import { addSignInWays } from '../../support/sign-in-ways';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings': 'account/settings/page.tsx',
    '/user/dashboard': 'account/dashboard/page.tsx',
  });
});
beforeEach(() => startClocks(website));
afterAll(async () => website.close());

const ADDRESS = { street: '1 rue du Papier', postal_code: '75011', city: 'Paris', country: 'FR' };

test('the settings show the sign-in methods, the addresses and the sessions with their times', async () => {
  const { host } = website;
  const account = await host.account();
  const { email, password, token } = account;
  await addSignInWays(host, account.id, { email: 'ada@gmail.com' });
  for (const street of ['1 rue du Papier', '2 rue de l’Encre'])
    await send(host, 'POST', '/api/account/billing-addresses', { ...ADDRESS, street }, { token });
  host.clock.advance(3_600_000);
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };
  await send(host, 'POST', '/api/login_check', { email, password }, { headers });
  const browser = await openBrowser(website, account);
  const page = await textOf(await browser.open('/user/settings'));
  for (const words of [
    'Two-step sign-in Off: the password alone opens the account. Set up Two-step sign-in',
    'Passkeys Work laptop Manage Passkeys',
    'Google · ada@gmail.com Linked since 2 Mar 2026, 10:00 GMT Remove Google ada@gmail.com',
    'Firefox · Linux Last used 2 Mar 2026, 11:00 GMT Signed in 2 Mar 2026, 11:00 GMT Sign out Firefox · Linux',
    'Sign out everywhere else',
  ]) {
    expect(page).toContain(words);
  }
  expect(page).toMatch(/1 rue du Papier 75011 Paris France Default .* 2 rue de l’Encre .* Make default/);
  expect(page).not.toContain('Waiting for confirmation');
});

test('a pending address is shown until it is confirmed, and the profile has the new one from then on', async () => {
  const { host } = website;
  const account = await host.account();
  const browser = await openBrowser(website, account);
  const pendingEmail = `new-${account.email}`;
  await host.db.orm.update(accounts).set({ pendingEmail }).where(eq(accounts.id, account.id));
  const page = await textOf(await browser.open('/user/settings'));
  expect(page).toContain(
    `Waiting for confirmation from ${pendingEmail} Send the mail again Keep the present address`,
  );
  await browser.post('/user/settings', { intent: 'cancel-email' });
  const kept = await (await browser.open('/user/settings')).text();
  expect(kept).not.toContain(pendingEmail);
  expect(kept).toMatch(new RegExp(`<input[^>]*value="${account.email}"`));
});

test('the dashboard shows the figures and until when the subscription lasts or lasted', async () => {
  const { host } = website;
  const account = await host.account();
  const [visited, archived] = [await host.code(account.id), await host.code(account.id)];
  await send(host, 'PATCH', `/api/qrcodes/${archived.id}`, { archived: true }, account);
  for (const door of ['r', 'r', 'l']) await host.request(`/${door}/${visited.slug}`);
  const browser = await openBrowser(website, account);
  const page = await textOf(await browser.open('/user/dashboard'));
  for (const figure of [
    'Last 30 days',
    'All visits 3 0.1 a day on average',
    'Scans 2 of the printed code',
    'Clicks 1 of the copied link',
    'Unique visitors 1 added up by day, in UTC',
    'Active codes 1 of 2 codes you have',
  ])
    expect(page).toContain(figure);
  expect(page).toContain('Subscription active until 1 April 2026 Manage the subscription');
  await grantAccess(host.db.orm, account.id, {
    plan: 'monthly',
    status: 'canceled',
    accessUntil: new Date('2026-03-01T23:30:00.000Z'),
  });
  expect(await textOf(await browser.open('/user/dashboard'))).toContain(
    'Subscription cancelled ended on 1 March 2026 Manage the subscription',
  );
  const without = await openBrowser(website, await host.account({ access: false }));
  expect(await textOf(await without.open('/user/dashboard'))).toContain('You have no subscription.');
});
