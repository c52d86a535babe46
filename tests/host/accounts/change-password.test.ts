import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, send, subjectsTo } from '../../support/json-calls';

const NEW = 'seven green boats at dawn';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

function change(fields: Record<string, unknown> = {}) {
  const body = { currentPassword: account.password, newPassword: NEW, ...fields };
  return send(host, 'POST', '/api/account/change-password', body, account);
}

test('changing the password ends every session and notifies the owner', async () => {
  const elsewhere = await send(host, 'POST', '/api/login_check', account);
  const answered = await change({ confirmPassword: NEW });
  expect(answered.body).toEqual({ status: 'success', message: 'password_changed' });
  for (const token of [account.token, elsewhere.body.token]) {
    const refused = await send(host, 'GET', '/api/account/profile', undefined, { token });
    expect([refused.status, refused.body.message]).toEqual([401, 'Expired JWT Token']);
  }
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(401);
  expect((await send(host, 'POST', '/api/login_check', { ...account, password: NEW })).status).toBe(200);
  expect(await subjectsTo(host, account.email)).toEqual(['Your password was changed']);
});

test.each([
  [
    'the current password is wrong',
    { currentPassword: 'not this one' },
    { currentPassword: ['password_wrong'] },
  ],
  ['the confirmation differs', { confirmPassword: `${NEW}!` }, { confirmPassword: ['passwords_differ'] }],
  ['the new one is short', { newPassword: 'Zx9!kq2' }, { newPassword: ['password_too_short'] }],
  ['the new one is common', { newPassword: 'Sunshine2024!' }, { newPassword: ['password_common'] }],
  ['the new one names the service', { newPassword: 'my-Quadrille-77' }, { newPassword: ['password_common'] }],
  ['the new one is 129 characters', { newPassword: 'k7'.repeat(65) }, { newPassword: ['password_too_long'] }],
])('nothing changes when %s', async (_, fields, errors) => {
  const refused = await change(fields);
  expect([refused.status, refused.body.errors]).toEqual([422, errors]);
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(200);
});

test('a password that contains the local part of the e-mail address is refused', async () => {
  const [local = ''] = account.email.split('@');
  expect((await change({ newPassword: `${local.toUpperCase()}!` })).body.errors).toEqual({
    newPassword: ['password_like_email'],
  });
});

test('spaces, any script and up to 128 characters are allowed, and are compared as typed', async () => {
  const long = `  pässwörter 汉字 🚲 ${'z9 '.repeat(60)}`.slice(0, 128);
  expect((await change({ newPassword: long })).status).toBe(200);
  expect((await send(host, 'POST', '/api/login_check', { ...account, password: long })).status).toBe(200);
  const decomposed = long.normalize('NFD');
  expect((await send(host, 'POST', '/api/login_check', { ...account, password: decomposed })).status).toBe(
    200,
  );
  expect((await send(host, 'POST', '/api/login_check', { ...account, password: long.trim() })).status).toBe(
    401,
  );
});

test('of two concurrent changes exactly one takes effect', async () => {
  const passwords = ['the first of two words', 'the other of two words'];
  const answers = await Promise.all(passwords.map((newPassword) => change({ newPassword })));
  expect(answers.every(({ status }) => status === 200 || status === 401 || status === 422)).toBe(true);
  const signIns = await Promise.all(
    passwords.map((password) => send(host, 'POST', '/api/login_check', { ...account, password })),
  );
  expect(signIns.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('the tenth attempt may be the right one, and wrong ones before it are forgotten', async () => {
  const wrong = async (times: number) => {
    for (let turn = 0; turn < times; turn += 1)
      expect((await change({ currentPassword: 'wrong one' })).status).toBe(422);
  };
  const rename = { firstName: 'Ada', lastName: 'Byron', email: `new-${account.email}` };
  await wrong(9);
  const right = { ...rename, currentPassword: account.password };
  expect((await send(host, 'PUT', '/api/account/profile', right, account)).status).toBe(200);
  await wrong(10);
  expect((await change()).status).toBe(429);
});

test('after ten wrong passwords the eleventh attempt is refused, right or wrong', async () => {
  for (let turn = 0; turn < 10; turn += 1) await change({ currentPassword: 'wrong one' });
  const refused = await change();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test.each(
  brokenBodies({ currentPassword: 'right one', newPassword: NEW }, ['currentPassword', 'newPassword']).filter(
    ([field, what]) => !(field === 'currentPassword' && what === 'with a null byte'),
  ),
)('a change refuses %s that is %s', async (field, _, body) => {
  const answered = await send(host, 'POST', '/api/account/change-password', body, account);
  expect([answered.status, Object.keys(answered.body.errors ?? {})]).toEqual([422, [field]]);
});
