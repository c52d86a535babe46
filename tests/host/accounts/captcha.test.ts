import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkRequests } from '#host/db/tokens.tables';
import type { CaptchaVerifier } from '#host/http/deps';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const REFUSED = { captcha: ['captcha_failed'] };
let asked: Parameters<CaptchaVerifier>[0][];
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  const captcha: CaptchaVerifier = async (attempt) => {
    asked.push(attempt);
    if (attempt.token === 'unverifiable') throw new Error('nobody answered');
    return attempt.token === 'good';
  };
  host = await createTestHost({ captcha });
});
beforeEach(async () => {
  asked = [];
  host.clock.advance(3_600_000);
  await host.db.orm.delete(linkRequests);
  account = await host.account();
});
afterAll(() => host.close());

function logIn(captcha?: unknown, password = account.password) {
  return send(host, 'POST', '/api/login_check', { email: account.email, password, captcha });
}

function forget(captcha?: unknown) {
  return send(host, 'POST', '/api/account/forgot-password', { email: account.email, captcha });
}

test('a token of the action lets sign-in and the mail for a new password through', async () => {
  expect((await logIn('good')).status).toBe(200);
  expect((await forget('good')).status).toBe(200);
  expect(asked).toEqual([
    { token: 'good', action: 'login', address: '127.0.0.1' },
    { token: 'good', action: 'forgot_password', address: '127.0.0.1' },
  ]);
  expect(await host.db.orm.select().from(linkRequests)).toHaveLength(1);
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['refused', 'bad'],
  ['not to be verified', 'unverifiable'],
  ['no text', 7],
  ['far too long', 'x'.repeat(10_001)],
])('a token that is %s stops both', async (_, token) => {
  for (const refused of [await logIn(token), await forget(token)]) {
    expect([refused.status, refused.body.errors]).toEqual([422, REFUSED]);
  }
  expect(await host.db.orm.select().from(linkRequests)).toEqual([]);
});

test('without a good token nobody learns whether a password is right', async () => {
  const answers = [await logIn('bad'), await logIn('bad', 'not the password')];
  for (const { status, body } of answers) expect([status, body.errors]).toEqual([422, REFUSED]);
});

test('robots use up neither the tries nor the mails of an account', async () => {
  for (let round = 0; round < 12; round += 1) {
    await logIn('bad');
    await forget('bad');
  }
  expect((await logIn('good')).status).toBe(200);
  expect((await forget('good')).status).toBe(200);
});
