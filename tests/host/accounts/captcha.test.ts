import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeMailToken } from '#host/accounts/mail-tokens';
import { accounts, linkRequests } from '#host/db/accounts.tables';
import type { CaptchaVerifier } from '#host/http/deps';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';

const REFUSED = { captcha: ['captcha_failed'] };
const NEW = 'seven green boats at dawn';
let requested: Parameters<CaptchaVerifier>[0][];
let lines: string[];
let host: TestHost;
let account: TestAccount;
let resetToken: string;

beforeAll(async () => {
  const captcha: CaptchaVerifier = async (attempt) => {
    requested.push(attempt);
    if (attempt.token === 'unverifiable') throw new Error('nobody answered');
    return attempt.token === 'good';
  };
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ captcha, log });
});
beforeEach(async () => {
  requested = [];
  lines = [];
  host.clock.advance(3_600_000);
  await host.db.orm.delete(linkRequests);
  ({ account, resetToken } = await somebody(host));
});
afterAll(() => host.close());

/** An account with an unconfirmed new e-mail address, and a link to reset its password. */
async function somebody(on: TestHost) {
  const made = await on.account();
  const waiting = { pendingEmail: pendingOf(made) };
  await on.db.orm.update(accounts).set(waiting).where(eq(accounts.id, made.id));
  const link = { accountId: made.id, purpose: 'reset' } as const;
  return {
    account: made,
    resetToken: await makeMailToken(on.db.orm, on.deps.random, link, on.clock.now()),
  };
}

function pendingOf({ email }: TestAccount) {
  return `new-${email}`;
}

/** The calls behind a captcha, by its action. */
const CALLS: Record<string, (captcha?: unknown, on?: TestHost) => ReturnType<typeof send>> = {
  login: (captcha, on = host) => {
    const { email, password } = account;
    return send(on, 'POST', '/api/login_check', { email, password, captcha });
  },
  forgot_password: (captcha, on = host) =>
    send(on, 'POST', '/api/account/forgot-password', { email: account.email, captcha }),
  resend_onboarding: (captcha, on = host) =>
    send(on, 'POST', '/api/account/onboarding/resend', { email: account.email, captcha }),
  resend_email_change: (captcha, on = host) =>
    send(on, 'POST', '/api/account/email-change/resend', { captcha }, account),
  reset_password: (captcha, on = host) => {
    const passwords = { password: NEW, confirmPassword: NEW };
    return send(on, 'POST', '/api/account/reset-password', { token: resetToken, ...passwords, captcha });
  },
};

/** The side effects of the calls that were let through. */
async function traces() {
  const requests = await host.db.orm.select().from(linkRequests);
  const mails = await subjectsTo(host, pendingOf(account));
  return { requests: requests.length, mails: mails.length };
}

test.each(Object.entries(CALLS))('a token for the action %s lets the call through', async (action, call) => {
  expect((await call('good')).status).toBe(200);
  expect(requested).toEqual([{ token: 'good', action, clientIp: '127.0.0.1' }]);
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['refused', 'bad'],
  ['impossible to verify', 'unverifiable'],
  ['not a string', 7],
  ['far too long', 'x'.repeat(10_001)],
])('no call is let through with a token that is %s', async (_, token) => {
  for (const [action, call] of Object.entries(CALLS)) {
    const refused = await call(token);
    expect([refused.status, refused.body.errors], action).toEqual([422, REFUSED]);
  }
  expect(await traces()).toEqual({ requests: 0, mails: 0 });
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(200);
});

test('resending the mail by its expired link needs a token too', async () => {
  const body = { token: 'x'.repeat(43) };
  const refused = await send(host, 'POST', '/api/account/onboarding/resend', body);
  expect([refused.status, refused.body.errors]).toEqual([422, REFUSED]);
  const accepted = await send(host, 'POST', '/api/account/onboarding/resend', { ...body, captcha: 'good' });
  expect(accepted.status).toBe(200);
});

test('without a valid token the response does not reveal whether the password is right', async () => {
  const wrong = { email: account.email, password: 'not the password', captcha: 'bad' };
  const answers = [await CALLS.login?.('bad'), await send(host, 'POST', '/api/login_check', wrong)];
  for (const answer of answers) expect([answer?.status, answer?.body.errors]).toEqual([422, REFUSED]);
});

test('calls with a bad token use up neither the attempts nor the mails of an account', async () => {
  for (let round = 0; round < 6; round += 1) {
    for (const action of ['login', 'resend_email_change', 'reset_password', 'forgot_password'])
      await CALLS[action]?.('bad');
  }
  for (const [action, call] of Object.entries(CALLS)) expect((await call('good')).status, action).toBe(200);
});

test('each refusal is audited with its action and the account or address concerned', async () => {
  for (const call of Object.values(CALLS)) await call('bad');
  const audited = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit);
  expect(audited.map(({ audit, reason }) => [audit, reason])).toEqual(
    Object.keys(CALLS).map((action) => ['captcha_refused', action]),
  );
  for (const line of audited) {
    expect(line).toMatchObject({ clientIp: '127.0.0.1', requestId: expect.stringMatching(/^[\w-]{8,}$/) });
    expect(Boolean(line.account ?? line.email)).toBe(true);
  }
  for (const secret of [account.email, resetToken, NEW]) expect(lines.join('\n')).not.toContain(secret);
});

test('without a captcha no token is required or checked', async () => {
  const open = await createTestHost();
  for (const token of [undefined, 'whatever']) {
    ({ account, resetToken } = await somebody(open));
    for (const [action, call] of Object.entries(CALLS))
      expect((await call(token, open)).status, action).toBe(200);
  }
  await open.close();
});
