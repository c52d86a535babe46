import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const LANGUAGES = [
  ['en-GB', 'enter your password again in 15 seconds', '15 minutes'],
  ['fr', 'saisissez à nouveau votre mot de passe dans 15 secondes', '15 minutes'],
  ['es', 'vuelva a escribir la contraseña dentro de 15 segundos', '15 minutos'],
  ['de', 'Geben Sie Ihr Passwort in 15 Sekunden noch einmal ein', '15 Minuten'],
  ['it', 'inserisci di nuovo la password tra 15 secondi', '15 minuti'],
] as const;

let website: TestWebsite;
let account: TestAccount;

beforeAll(async () => {
  website = await createTestWebsite({
    '/login': 'account/sign-in/page.tsx',
    '/login/passkey': 'account/sign-in/passkey-route.ts',
  });
});
beforeEach(async () => {
  account = await website.host.account();
});
afterAll(async () => website.close());

function signIn(password: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ email: account.email, password });
  return website.browse('/login', { method: 'POST', body, headers });
}

const pairOf = (setCookie = '') => setCookie.split(';')[0] ?? '';
const deviceCookie = (answer: Response) =>
  answer.headers.getSetCookie().find((cookie) => cookie.startsWith('device=')) ?? '';

test.each(LANGUAGES)(
  'a rate-limited sign-in states the waiting time and keeps the e-mail address (%s)',
  async (tag, words, longest) => {
    for (let free = 0; free < 5; free += 1) await signIn('not the password');
    const answer = await signIn(account.password, { 'accept-language': tag });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '15']);
    const page = (await answer.text()).replace(/[\u00a0\u202f]/g, ' ');
    expect(page).toContain(words);
    expect(page).toContain(`value="${account.email}"`);
    expect(page).not.toContain(account.password);
    const { waitingTime } = await import('~/ui/form-errors');
    expect(waitingTime(900, tag)).toBe(longest);
  },
);

test('a browser that signed in is known to each of its accounts for a year', async () => {
  const first = deviceCookie(await signIn(account.password));
  expect(first).toMatch(/Max-Age=31536000;.*HttpOnly.*SameSite=Lax/i);
  const before = account;
  account = await website.host.account();
  const both = deviceCookie(await signIn(account.password, { cookie: pairOf(first) }));
  for (account of [before, account]) {
    for (let free = 0; free < 5; free += 1) await signIn('not the password');
    expect((await signIn(account.password)).status).toBe(429);
    const answer = await signIn(account.password, { cookie: pairOf(both) });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/user/dashboard']);
  }
});

test('without scripts, the page says why it offers no passkey', async () => {
  const page = await (await website.browse('/login')).text();
  const [, note] = /<noscript>(.+?)<\/noscript>/.exec(page) ?? [];
  expect(note).toContain('Using a passkey needs JavaScript');
});

test('an unsigned device cookie is ignored', async () => {
  const planted = `device=${Buffer.from(JSON.stringify(['x'.repeat(43)])).toString('base64')}`;
  expect((await signIn(account.password, { cookie: planted })).status).toBe(303);
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  'javascript:alert(1)',
  'evil.example',
])('a sign-in with next=%j stays on this site', async (next) => {
  const body = new URLSearchParams({ email: account.email, password: account.password, next });
  const answer = await website.browse('/login', { method: 'POST', body });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/user/dashboard']);
  const opened = await website.browse(`/login?next=${encodeURIComponent(next)}`);
  const page = await opened.text();
  expect(page).not.toContain('name="next"');
  expect(page).not.toMatch(/(?:href|src)="[^"]*evil/);
});

test('a sign-in loads the requested page as a document, as it may be a file or a code', async () => {
  const body = new URLSearchParams({ email: account.email, password: account.password, next: '/r/7K3M9QXD' });
  const answer = await website.browse('/login', { method: 'POST', body });
  expect([answer.headers.get('location'), answer.headers.get('x-remix-reload-document')]).toEqual([
    '/r/7K3M9QXD',
    'true',
  ]);
});

test.each([
  [{}, false],
  [{ remember: 'on' }, true],
])('a sign-in with %j outlives the browser session: %j', async (fields, isKept) => {
  const body = new URLSearchParams({ email: account.email, password: account.password, ...fields });
  const answer = await website.browse('/login', { method: 'POST', body });
  const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('session=')) ?? '';
  expect(/Expires=/.test(session)).toBe(isKept);
});

test('a refusal does not reveal whether the e-mail address or the password was wrong', async () => {
  const known = await signIn('not the password');
  account = { ...account, email: 'nobody@test.example' };
  const unknown = await signIn('not the password');
  expect([known.status, unknown.status]).toEqual([401, 401]);
  const errorsIn = async (answer: Response) =>
    /<section[^>]*error-summary[\s\S]*?<\/ul>/.exec(await answer.text())?.[0] ?? '';
  const errors = await errorsIn(known);
  expect(errors).toContain('<li>');
  expect(errors).not.toContain('href="#');
  expect(await errorsIn(unknown)).toBe(errors);
});

test('a browser stays known to its last five accounts only', async () => {
  let cookie = '';
  for (let number = 0; number < 7; number += 1) {
    account = await website.host.account();
    cookie = pairOf(deviceCookie(await signIn(account.password, cookie ? { cookie } : {})));
  }
  const { readDevices } = await import('~/http/session.server');
  const devices = await readDevices(new Request('http://localhost/', { headers: { cookie } }));
  expect(new Set(devices).size).toBe(5);
});

test.each([
  ['//evil.example/', '/login'],
  ['https://evil.example/', '/login'],
  ['/user/qrcodes?page=2', '/login?next=%2Fuser%2Fqrcodes%3Fpage%3D2'],
])('a refused passkey with next=%j redirects to %s', async (next, to) => {
  const body = new URLSearchParams({ credential: '{}', next });
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await website.browse('/login/passkey', { method: 'POST', body, headers });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, to]);
});
