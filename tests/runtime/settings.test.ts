import { expect, test } from 'vitest';
import { readEnv } from '#host/env';
import {
  AddressSetting,
  findUnpairedSettings,
  findUnsafeSettings,
  ProxiesSetting,
  SecretsSetting,
} from '#runtime/settings';

test.each([
  ['https://q.example', 'https://q.example'],
  ['https://q.example/', 'https://q.example'],
  ['http://localhost:3000//', 'http://localhost:3000'],
  ['https://q.example/codes/', 'https://q.example/codes'],
])('the address %s is normalised so that paths can be appended: %s', (given, address) => {
  expect(AddressSetting.parse(given)).toBe(address);
});

test.each([
  'q.example',
  'ftp://q.example',
  'javascript:alert(1)',
  'https://q.example/?a=1',
  'https://q.example/#a',
])('the address %s is refused', (given) => {
  expect(AddressSetting.safeParse(given).success).toBe(false);
});

test('secrets are separated by commas, and each has at least 32 characters', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];
  expect(SecretsSetting.parse(`${first}, ${second}`)).toEqual([first, second]);
  for (const list of ['a'.repeat(31), `${first},${'b'.repeat(31)}`, `${first},`, ''])
    expect(SecretsSetting.safeParse(list).success).toBe(false);
});

test('trusted proxies are IP addresses and networks', () => {
  expect(ProxiesSetting.parse(undefined)).toEqual([]);
  expect(ProxiesSetting.parse(' 10.0.0.7, 10.1.0.0/16,fd00:1::/64, 0.0.0.0/0,::1/128,')).toEqual([
    '10.0.0.7',
    '10.1.0.0/16',
    'fd00:1::/64',
    '0.0.0.0/0',
    '::1/128',
  ]);
  for (const network of ['10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0', 'a proxy', '10.0.0.1/8/8', '/8'])
    expect(ProxiesSetting.safeParse(`127.0.0.1, ${network}`).success, network).toBe(false);
});

const SECRET = 'a secret of the tests that is long enough';
const PUBLIC = { PUBLIC_URL: 'https://quadrille.example' };
const MENDED = {
  ...PUBLIC,
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk',
  STRIPE_WEBHOOK_SECRET: 'whsec',
  SMTP_URL: 'smtps://mail.example',
  JWT_SECRET: SECRET,
  SESSION_SECRET: SECRET,
  INTERNAL_SECRET: SECRET,
};
const ALLOWED = {
  ...PUBLIC,
  ALLOW_SANDBOX_PAYMENTS: '1',
  ALLOW_UNSENT_MAIL: '1',
  ALLOW_OPEN_MAILBOX: '1',
  ALLOW_GENERATED_SECRETS: '1',
};

test.each([
  'http://localhost:3000',
  'https://localhost',
  'http://127.8.0.1',
  'http://[::1]:3000',
  'http://a.localhost',
])('the defaults are allowed on a local address (%s)', (PUBLIC_URL) =>
  expect(findUnsafeSettings({ PUBLIC_URL }, ['host', 'website'])).toEqual([]),
);

test('with a public address, all unsafe defaults are listed at once', () => {
  for (const PUBLIC_URL of [
    'https://quadrille.example',
    'http://192.168.1.5:3000',
    'http://localhost.example',
  ]) {
    const both = findUnsafeSettings({ PUBLIC_URL }, ['host', 'website']).join('\n');
    const named = ['SANDBOX_PAYMENTS', 'UNSENT_MAIL', 'OPEN_MAILBOX', 'GENERATED_SECRETS'];
    for (const name of named) expect(both).toContain(`allow it with ALLOW_${name}=1`);
    expect(both).toMatch(/JWT_SECRET would[\s\S]*SESSION_SECRET would/);
    expect(both).not.toContain('INTERNAL_SECRET');
  }
});

test('a program started alone needs its own secret and the shared one', () => {
  const host = findUnsafeSettings({ ...MENDED, JWT_SECRET: '', INTERNAL_SECRET: '' }, ['host']);
  expect(host.map((line) => line.split(' ')[0])).toEqual(['JWT_SECRET', 'INTERNAL_SECRET']);
  const website = findUnsafeSettings({ ...PUBLIC, SESSION_SECRET: '' }, ['website']);
  expect(website.map((line) => line.split(' ')[0])).toEqual(['SESSION_SECRET', 'INTERNAL_SECRET']);
});

test('each unsafe default is fixed or allowed only by its own setting', () => {
  expect(findUnsafeSettings(MENDED, ['host'])).toEqual([]);
  expect(findUnsafeSettings(ALLOWED, ['host', 'website'])).toEqual([]);
  for (const name of Object.keys(ALLOWED).filter((name) => name.startsWith('ALLOW'))) {
    const problems = findUnsafeSettings({ ...ALLOWED, [name]: '0' }, ['host']);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem).toContain(name);
  }
});

test('the host does not start with unsafe defaults and lists them with all other errors', () => {
  const read = () => readEnv({ ...PUBLIC, DATABASE_URL: 'postgres://db', LOG_LEVEL: 'loud' });
  expect(read).toThrow(
    /LOG_LEVEL[\s\S]*together with DATABASE_URL[\s\S]*ALLOW_SANDBOX_PAYMENTS[\s\S]*ALLOW_OPEN_MAILBOX/,
  );
  expect(readEnv(MENDED).PAYMENTS).toBe('stripe');
});

test('only of programs that start together, the captcha needs both its settings', () => {
  const captcha = { CAPTCHA_SITE_KEY: 'key', CAPTCHA_SECRET: 'secret' };
  expect(findUnpairedSettings(captcha, ['host', 'website'])).toEqual([]);
  expect(findUnpairedSettings({}, ['host', 'website'])).toEqual([]);
  expect(findUnpairedSettings({ CAPTCHA_SITE_KEY: 'key' }, ['website'])).toEqual([]);
  expect(findUnpairedSettings({ CAPTCHA_SITE_KEY: 'key' }, ['host', 'website'])).toHaveLength(1);
});
