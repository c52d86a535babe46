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
  website = await createTestWebsite({ '/login': 'login.tsx' });
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
  'whoever has to wait is told for how long, with the e-mail kept (%s)',
  async (tag, words, longest) => {
    for (let free = 0; free < 5; free += 1) await signIn('not the password');
    const answer = await signIn(account.password, { 'accept-language': tag });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '15']);
    const page = (await answer.text()).replaceAll('\u00a0', ' ');
    expect(page).toContain(words);
    expect(page).toContain(`value="${account.email}"`);
    expect(page).not.toContain(account.password);
    const { waitingTime } = await import('~/ui/error-texts');
    expect(waitingTime(900, tag)).toBe(longest);
  },
);

test('a browser that signed in is known from then on, for a year, and to each of its accounts', async () => {
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

test('a device cookie that nobody signed is none', async () => {
  const planted = `device=${Buffer.from(JSON.stringify(['x'.repeat(43)])).toString('base64')}`;
  expect((await signIn(account.password, { cookie: planted })).status).toBe(303);
});
