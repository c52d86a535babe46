import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../../support/browser';
import { addSignInWays } from '../../support/sign-in-ways';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const SECRET = 'words that nobody else may read';
let website: TestWebsite;
let browser: TestBrowser;
let ids: { code: string; passkey: string };

beforeAll(async () => {
  website = await createTestWebsite({
    '/onboarding': 'account/sign-in/onboarding-page.tsx',
    '/user/settings': 'account/settings/page.tsx',
    '/user/settings/two-step': 'account/settings/two-step-page.tsx',
    '/user/settings/passkeys': 'account/settings/passkeys-page.tsx',
    '/user/settings/passkeys/:id': 'account/settings/passkey-page.tsx',
    '/user/settings/delete': 'account/settings/delete-page.tsx',
    '/user/qrcodes/import': 'codes/import/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
  });
  const account = await website.host.account();
  const { passkey } = await addSignInWays(website.host, account.id, account);
  ids = { code: (await website.host.code(account.id)).id, passkey };
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

type Typed = Record<string, string>;

/** The hidden fields of the form with this id. */
function hiddenFields(page: string, id: string): Typed {
  const [, form = ''] = new RegExp(`<form[^>]* id="${id}"[^>]*>(.*?)</form>`, 's').exec(page) ?? [];
  const hidden = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...hidden].map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
  );
}

/** The ids of the forms that the buttons for languages and themes submit. */
function switchedForms(page: string): string[] {
  const buttons = [...page.matchAll(/<button[^>]* name="(?:lng|theme)"[^>]*>/g)];
  return [...new Set(buttons.map(([tag]) => / form="([^"]*)"/.exec(tag)?.[1] ?? ''))];
}

const placed = (text: string) => text.replace('CODE', ids.code).replace('PASSKEY', ids.passkey);

test.each<[name: string, path: string, form: string, typed: Typed, pressed?: Typed]>([
  ['the profile', '/user/settings', 'profile', { firstName: '', currentPassword: SECRET }],
  ['the time zone', '/user/settings', 'time-zone', { timeZone: 'Mars/Olympus' }],
  ['a new password', '/user/settings', 'password', { currentPassword: SECRET, newPassword: SECRET }],
  ['the second factor', '/user/settings/two-step', 'start', { currentPassword: SECRET }],
  ['the name of a passkey', '/user/settings/passkeys', 'passkey-PASSKEY', { name: '' }],
  ['a removal', '/user/settings/passkeys/PASSKEY', 'passkey', { currentPassword: SECRET }],
  ['the deletion', '/user/settings/delete', 'delete', { password: SECRET }],
  ['an import', '/user/qrcodes/import', 'import', {}],
  ['a pause', '/user/qrcodes/CODE', 'pause-form', { message: 'm'.repeat(301) }, { intent: 'pause' }],
])('without scripts, the refused form for %s keeps its errors in another language', async (...row) => {
  const [, page, name, typed, pressed = {}] = row;
  const [path, form] = [placed(page), placed(name)];
  const fresh = await (await browser.open(path)).text();
  expect(fresh).not.toContain('shownErrors');
  const refusal = await browser.post(path, { ...hiddenFields(fresh, form), ...typed, ...pressed });
  expect(refusal.status).toBe(422);
  const refused = await refusal.text();
  expect(refused).toContain('There is a problem');
  expect(switchedForms(refused)).toEqual([form]);
  const { shownErrors = '', ...others } = hiddenFields(refused, form);
  expect(Object.keys(JSON.parse(shownErrors))).not.toHaveLength(0);
  const switched = await browser.post(`${path}?lng=de`, { ...others, ...typed, shownErrors, lng: 'de' });
  expect(switched.status).toBe(200);
  const german = await switched.text();
  expect(german).toContain('Es gibt ein Problem');
  expect(hiddenFields(german, form).shownErrors).toBe(shownErrors);
  expect(switchedForms(german)).toEqual([form]);
  expect(german + refused).not.toContain(SECRET);
  await browser.post(`${path}?lng=gb`, { ...others, ...typed, lng: 'gb' });
});

test('a form that its refusal has replaced is not the one that a switch submits', async () => {
  const visitor = await openBrowser(website);
  const path = `/onboarding?token=${'x'.repeat(43)}`;
  const typed = { firstName: 'Ada', lastName: 'Lovelace', password: SECRET, confirmPassword: SECRET };
  const refused = await (await visitor.post(path, { ...typed, formId: 'onboarding' })).text();
  expect(refused).not.toContain('id="onboarding"');
  expect(switchedForms(refused)).toEqual(['']);
});
