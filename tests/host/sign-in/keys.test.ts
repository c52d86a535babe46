import { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hashOfSecret, makeSecret } from '#host/accounts/key-secrets';
import { apiKeys } from '#host/db/keys.tables';
import { makeApiKey } from '../../support/api-keys';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';

const PATH = '/api/account/keys';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let host: TestHost;
let account: TestAccount;
let logged = '';

beforeAll(async () => {
  const output = new Writable({
    write(chunk, _, next) {
      logged += chunk;
      next();
    },
  });
  host = await createTestHost({ log: pino({ level: 'trace' }, output) });
});
beforeEach(async () => {
  host.clock.advance(HOUR);
  account = await host.account();
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: unknown, token = account.token) =>
  send(host, method, path, body, { token });
const make = (body: object) =>
  call('POST', PATH, { name: 'Shop', permission: 'read', currentPassword: account.password, ...body });
const renew = (id: string, body: object) =>
  call('POST', `${PATH}/${id}/renew`, { currentPassword: account.password, ...body });
const change = (id: string, body: object, by = account) =>
  call('PUT', `${PATH}/${id}`, { name: 'Shop', currentPassword: by.password, ...body }, by.token);
const listed = async () => (await call('GET', PATH)).body.data as { id: string; lastUsedAt: string | null }[];
const statusWith = async (secret: string) => (await call('GET', '/api/v1/tags', undefined, secret)).status;

test('a secret has a prefix, 30 random characters and their checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 200, maxLength: 400 }), (bytes) => {
      let at = 0;
      // Ends with bytes that all count, whatever came before.
      const random = (count: number) =>
        Uint8Array.from({ length: count }, (_, index) => bytes[at + index] ?? index + at).map((byte) =>
          at++ >= 0 ? byte : 0,
        );
      const secret = makeSecret(random);
      expect(secret).toMatch(/^qdr_[0-9A-Za-z]{36}$/);
      expect(hashOfSecret(secret)).not.toBeNull();
      const place = 4 + ((bytes[0] ?? 0) % 36);
      const other = secret[place] === 'a' ? 'b' : 'a';
      expect(hashOfSecret(secret.slice(0, place) + other + secret.slice(place + 1))).toBeNull();
    }),
  );
});

test('the checksum is CRC-32 in base 62, most significant digit first', () => {
  const start = `qdr_${'7'.repeat(30)}`;
  const digits = [...makeSecret((count) => new Uint8Array(count).fill(7)).slice(34)];
  expect(makeSecret((count) => new Uint8Array(count).fill(7)).slice(0, 34)).toBe(start);
  const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  expect(digits.reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)).toBe(crc32(start));
});

test('bytes that would make some characters likelier are not used', () => {
  let turn = 0;
  const secret = makeSecret((count) => new Uint8Array(count).fill(turn++ === 0 ? 248 : 247));
  expect(secret.slice(4, 34)).toBe('z'.repeat(30));
});

test.each([
  ['no secret', 'a.b.c'],
  ['nothing behind the prefix', 'qdr_'],
  ['a character of no alphabet', `qdr_${'_'.repeat(36)}`],
])('%s has no hash', (_, text) => expect(hashOfSecret(text)).toBeNull());

test('a secret is shown once, and only its hash is stored', async () => {
  const made = await make({ tag: ' Menu ', days: 90 });
  const now = host.clock.now();
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    id: expect.any(String),
    name: 'Shop',
    lastFour: expect.stringMatching(/^\w{4}$/),
    permission: 'read',
    tag: 'Menu',
    origins: [],
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 90 * DAY).toISOString(),
    lastUsedAt: null,
    earlier: null,
    client: null,
    secret: expect.stringMatching(/^qdr_\w{36}$/),
  });
  const { secret, ...shown } = made.body.data as { secret: string; lastFour: string };
  expect(secret.endsWith(shown.lastFour)).toBe(true);
  expect(await listed()).toEqual([shown]);
  expect(JSON.stringify(await host.db.orm.select().from(apiKeys))).not.toContain(secret);
});

test('a key ends in a year unless its owner says otherwise', async () => {
  const now = host.clock.now().getTime();
  const [year, never] = [await make({}), await make({ days: null })];
  expect(year.body.data).toMatchObject({ expiresAt: new Date(now + 365 * DAY).toISOString() });
  expect(never.body.data).toMatchObject({ expiresAt: null });
  expect(await statusWith((never.body.data as { secret: string }).secret)).toBe(200);
});

test('a key ends to the millisecond', async () => {
  const { secret } = await makeApiKey(host, account, { days: 1 });
  host.clock.advance(DAY - 1);
  expect(await statusWith(secret)).toBe(200);
  host.clock.advance(1);
  expect(await statusWith(secret)).toBe(401);
});

test.each([
  [{ name: '' }, { name: ['key_name_required'] }],
  [{ name: 'x'.repeat(61) }, { name: ['key_name_too_long'] }],
  [{ name: 'a\u0007' }, { name: ['key_name_invalid'] }],
  [{ permission: 'all' }, { permission: ['key_permission_required'] }],
  [{ tag: 'x'.repeat(31) }, { tag: ['key_tag_invalid'] }],
  [{ tag: 'one, two' }, { tag: ['key_tag_invalid'] }],
  [{ origins: ['https://a.example/x'] }, { origins: ['key_origin_path'] }],
  [{ origins: ['null', 'http://a.example'] }, { origins: ['key_origin_unnamed', 'key_origin_invalid'] }],
  [{ days: 0 }, { days: ['key_days_invalid'] }],
  [{ days: 3651 }, { days: ['key_days_invalid'] }],
  [{ days: 1.5 }, { days: ['key_days_invalid'] }],
  [{ currentPassword: '' }, { currentPassword: ['password_required'] }],
  [{ currentPassword: 'wrong' }, { currentPassword: ['password_wrong'] }],
])('%j is refused', async (body, errors) => {
  const { status, body: answer } = await make(body);
  expect([status, answer.errors]).toEqual([422, errors]);
  expect(await listed()).toEqual([]);
});

test('the limits themselves are accepted', async () => {
  expect((await make({ name: 'x'.repeat(60), tag: 'y'.repeat(30), days: 3650 })).status).toBe(201);
  expect((await make({ days: 1 })).status).toBe(201);
});

test('with a second factor, making and renewing ask for a code', async () => {
  const { id } = await makeApiKey(host, account);
  const { secret } = await setUpAuthenticator(host, account);
  host.clock.advance(MINUTE);
  expect((await make({})).body.errors).toEqual({ code: ['code_required'] });
  expect((await renew(id, { overlap: 'day' })).body.errors).toEqual({ code: ['code_required'] });
  const code = codeAt(secret, host.clock.now());
  expect((await make({ code })).status).toBe(201);
  expect((await renew(id, { overlap: 'day', code })).status).toBe(201);
});

test('an account has at most 20 keys', async () => {
  for (let made = 0; made < 20; made += 1) expect((await make({})).status).toBe(201);
  expect((await make({})).status).toBe(409);
  const [first] = await listed();
  await call('DELETE', `${PATH}/${first?.id}`);
  expect((await make({})).status).toBe(201);
});

test('a form sent twice makes one key, whose second secret counts', async () => {
  const [first, second] = [await make({ key: 'form-1' }), await make({ key: 'form-1' })];
  const [one, two] = [first, second].map(({ body }) => body.data as { id: string; secret: string });
  expect(two?.id).toBe(one?.id);
  expect([await statusWith(one?.secret ?? ''), await statusWith(two?.secret ?? '')]).toEqual([401, 200]);
  expect((await make({ key: 'form-1', name: 'Another' })).body.data).not.toMatchObject({ id: one?.id });
});

test.each([
  ['none', 0],
  ['hour', HOUR],
  ['day', DAY],
  ['week', 7 * DAY],
])('a renewed key works with its earlier secret for: %s', async (overlap, ms) => {
  const before = await makeApiKey(host, account);
  const renewed = await renew(before.id, { overlap });
  const { secret } = renewed.body.data as { secret: string };
  expect(renewed.body.data).toMatchObject({
    id: before.id,
    name: before.name,
    earlier:
      ms === 0
        ? null
        : { lastFour: before.lastFour, expiresAt: new Date(host.clock.now().getTime() + ms).toISOString() },
  });
  host.clock.advance(Math.max(0, ms - 1));
  expect(await statusWith(before.secret)).toBe(ms === 0 ? 401 : 200);
  host.clock.advance(1);
  expect([await statusWith(before.secret), await statusWith(secret)]).toEqual([401, 200]);
  const [shown] = (await call('GET', PATH, undefined, (await host.account()).token)).body.data as unknown[];
  expect(shown).toBeUndefined();
});

test('the earlier secret never lives longer than it would have', async () => {
  const before = await makeApiKey(host, account, { days: 1 });
  host.clock.advance(DAY - HOUR);
  account = { ...account, token: (await signInAgain()).token };
  const renewed = await renew(before.id, { overlap: 'week' });
  expect(renewed.body.data).toMatchObject({ earlier: { expiresAt: before.expiresAt } });
  host.clock.advance(HOUR);
  expect(await statusWith(before.secret)).toBe(401);
});

const renewedDays = async (id: string) => {
  const { expiresAt } = (await renew(id, { overlap: 'day' })).body.data as { expiresAt: string | null };
  return expiresAt && (Date.parse(expiresAt) - host.clock.now().getTime()) / DAY;
};

test.each([30, 3650, null])('a renewed key lives for as long as it was made for: %s days', async (days) => {
  const { id } = await makeApiKey(host, account, { days });
  for (let times = 0; times < 2; times += 1, host.clock.advance(1)) expect(await renewedDays(id)).toBe(days);
});

test('of a key of an earlier release its times tell for how long it was made or renewed', async () => {
  const { id } = await makeApiKey(host, account, { days: 30 });
  for (const days of [30, 365]) {
    host.clock.advance(1);
    await host.db.orm.update(apiKeys).set({ days: null }).where(eq(apiKeys.id, id));
    expect(await renewedDays(id)).toBe(days);
  }
});

test('a renewal sent twice keeps the secret that is in use, and a later one ends it', async () => {
  const first = await makeApiKey(host, account);
  const again = { overlap: 'day', key: 'form-2' };
  const [lost, second] = [await renew(first.id, again), await renew(first.id, again)].map(
    ({ body }) => (body.data as { secret: string }).secret,
  );
  expect(await statusWith(first.secret)).toBe(200);
  expect([await statusWith(lost ?? ''), await statusWith(second ?? '')]).toEqual([401, 200]);
  await renew(first.id, { overlap: 'day' });
  expect([await statusWith(first.secret), await statusWith(second ?? '')]).toEqual([401, 200]);
});

test('the name and the origins of a key can be changed, and its secret and what it may do stay', async () => {
  const { id, secret } = await makeApiKey(host, account, { tag: 'Menu', origins: ['https://old.example'] });
  const changed = await change(id, { name: 'Kiosk', origins: ['https://new.example'] });
  expect(changed.status).toBe(200);
  expect(await listed()).toEqual([changed.body.data]);
  expect(changed.body.data).toMatchObject({ name: 'Kiosk', origins: ['https://new.example'], tag: 'Menu' });
  const statusFrom = async (origin: string) =>
    (await send(host, 'GET', '/api/v1/tags', undefined, { token: secret, headers: { origin } })).status;
  expect([await statusFrom('https://old.example'), await statusFrom('https://new.example')]).toEqual([
    403, 200,
  ]);
});

test.each([
  [{ name: '' }, { name: ['key_name_required'] }],
  [{ origins: ['https://shop.example/menu'] }, { origins: ['key_origin_path'] }],
  [{ currentPassword: 'wrong' }, { currentPassword: ['password_wrong'] }],
])('a change of a key is refused, and nothing is changed: %j', async (wrong, errors) => {
  const { id } = await makeApiKey(host, account, { origins: ['https://old.example'] });
  const before = await listed();
  const { status, body } = await change(id, { origins: [], ...wrong });
  expect([status, body.errors]).toEqual([422, errors]);
  expect(await listed()).toEqual(before);
});

test.each(['change', 'renew', 'revoke'] as const)('nobody can %s a key of somebody else', async (act) => {
  const { id, secret } = await makeApiKey(host, account);
  const stranger = await host.account();
  const { password: currentPassword, token } = stranger;
  const answers = {
    change: () => change(id, { origins: [] }, stranger),
    renew: () => call('POST', `${PATH}/${id}/renew`, { overlap: 'none', currentPassword }, token),
    revoke: () => call('DELETE', `${PATH}/${id}`, undefined, token),
  };
  expect((await answers[act]()).status).toBe(404);
  expect(await statusWith(secret)).toBe(200);
});

test('a revoked key is gone at once', async () => {
  const { id, secret } = await makeApiKey(host, account);
  expect((await call('DELETE', `${PATH}/${id}`)).body.message).toBe('key_revoked');
  expect([await statusWith(secret), await listed()]).toEqual([401, []]);
  expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
});

test('owners learn of new secrets and changes by mail and in the recent activities, operators in the audit log', async () => {
  const { id } = await makeApiKey(host, account);
  host.clock.advance(1);
  for (const _ of ['once', 'again']) await change(id, { origins: ['https://new.example'] });
  host.clock.advance(1);
  await renew(id, { overlap: 'day' });
  host.clock.advance(1);
  await call('DELETE', `${PATH}/${id}`);
  expect(await subjectsTo(host, account.email)).toEqual([
    'An API key of your account was renewed',
    'An API key of your account was changed',
    'An API key was made for your account',
  ]);
  const { body } = await call('GET', '/api/dashboard/overview');
  const { recentActivities } = body.data as { recentActivities: { type: string }[] };
  expect(recentActivities.map(({ type }) => type)).toEqual([
    'key_revoked',
    'key_renewed',
    'key_changed',
    'key_made',
  ]);
  const audited = logged
    .split('\n')
    .filter((line) => line.includes(account.id) && line.includes('"audit":"key'));
  expect(audited.map((line) => JSON.parse(line).audit)).toEqual([
    'key_made',
    'key_changed',
    'key_renewed',
    'keys_revoked',
  ]);
});

test('a new password revokes the keys only if asked to', async () => {
  const { secret } = await makeApiKey(host, account);
  const change = async (revokesKeys: boolean, currentPassword: string, newPassword: string) =>
    call(
      'POST',
      '/api/account/change-password',
      { currentPassword, newPassword, revokesKeys },
      (await signInAgain()).token,
    );
  expect((await change(false, account.password, 'another horse battery')).status).toBe(200);
  expect(await statusWith(secret)).toBe(200);
  expect((await change(true, 'another horse battery', 'a third horse battery')).status).toBe(200);
  expect(await statusWith(secret)).toBe(401);
});

async function signInAgain(): Promise<TestAccount> {
  const { createSession } = await import('#host/sign-in/sessions');
  const { signToken } = await import('#host/sign-in/tokens');
  const [sessionId, now] = [crypto.randomUUID(), host.clock.now()];
  const expiresAt = new Date(now.getTime() + DAY);
  const session = {
    id: sessionId,
    accountId: account.id,
    remember: true,
    userAgent: '',
    createdAt: now,
    expiresAt,
  };
  await createSession(host.db.orm, session);
  const content = { accountId: account.id, sessionId, email: account.email, roles: [], expiresAt };
  return { ...account, token: await signToken(content, host.deps.settings.jwtSecrets, now) };
}

test('the last use is noted, once a minute, and does not hold up the answer', async () => {
  const { secret } = await makeApiKey(host, account);
  const used = async () => (await listed())[0]?.lastUsedAt;
  const first = host.clock.now().toISOString();
  await statusWith(secret);
  await expect.poll(used).toBe(first);
  host.clock.advance(MINUTE - 1);
  await statusWith(secret);
  expect(await used()).toBe(first);
  host.clock.advance(1);
  await statusWith(secret);
  await expect.poll(used).toBe(host.clock.now().toISOString());
});

test('the export of an account names its keys without their secrets, and erasing it deletes them', async () => {
  const {
    secret,
    earlier: _earlier,
    ...key
  } = await makeApiKey(host, account, {
    origins: ['https://shop.example/'],
  });
  expect(key.origins).toEqual(['https://shop.example']);
  const answered = await host.request('/api/account/export', { token: account.token });
  const text = await answered.text();
  expect(JSON.parse(text).data.account.keys).toEqual([{ ...key, earlier: null }]);
  expect(text).not.toContain(secret);
  await call('DELETE', '/api/account', { password: account.password });
  expect(await statusWith(secret)).toBe(401);
  const rows = await host.db.orm.select().from(apiKeys);
  expect(rows.filter(({ accountId }) => accountId === account.id)).toEqual([]);
});

test('no secret is logged, whatever happens to it', async () => {
  const { secret, id } = await makeApiKey(host, account, { permission: 'read' });
  for (const path of ['/api/v1/tags', '/api/v1/nothing', '/api/account/profile', `/api/v1/codes/${id}`])
    await call('GET', path, undefined, secret);
  await call('DELETE', `${PATH}/${id}`);
  await call('GET', '/api/v1/tags', undefined, secret);
  expect(logged).toContain('key_made');
  expect(logged).toContain('keys_revoked');
  expect(logged).toContain(`"key":"${id}"`);
  expect(logged).not.toContain(secret);
  expect(logged).not.toContain(secret.slice(4, 34));
});
