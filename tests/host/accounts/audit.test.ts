import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';

const NEW = 'seven green boats at dawn';

let host: TestHost;
let account: TestAccount;
let lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ log });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
  lines = [];
});
afterAll(() => host.close());

function audited() {
  return lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
}

test('each event logs one line with the account, the client IP and the request id, and no secret', async () => {
  const secrets: string[] = [account.password, NEW, account.email];
  const signedIn = await send(host, 'POST', '/api/login_check', account);
  const token = signedIn.body.token ?? '';
  await send(host, 'POST', '/api/login_check', { ...account, password: 'a wrong secret' });
  await send(host, 'GET', '/api/account/export', undefined, { token });
  const newEmail = `new-${account.id}@test.example`;
  const change = { firstName: 'A', lastName: 'B', email: newEmail, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', change, { token });
  await send(host, 'DELETE', '/api/account/sessions', undefined, { token });
  const confirmation = await mailedToken(host, newEmail);
  await send(host, 'POST', '/api/account/confirm-email', { token: confirmation });
  await send(host, 'POST', '/api/account/forgot-password', { email: newEmail });
  host.clock.advance(1000);
  const reset = await mailedToken(host, newEmail);
  await send(host, 'POST', '/api/account/reset-password', {
    token: reset,
    password: NEW,
    confirmPassword: NEW,
  });
  const again = await send(host, 'POST', '/api/login_check', { email: newEmail, password: NEW });
  const last = again.body.token ?? '';
  await send(
    host,
    'POST',
    '/api/account/change-password',
    { currentPassword: 'nope nope', newPassword: NEW },
    { token: last },
  );
  await send(host, 'DELETE', '/api/account', { password: NEW }, { token: last });

  expect(audited().map(({ audit }) => audit)).toEqual([
    'login',
    'login_refused',
    'account_exported',
    'email_change_asked',
    'sessions_ended',
    'email_changed',
    'password_reset_asked',
    'password_reset_mailed',
    'password_reset',
    'login',
    'reauthentication_refused',
    'account_deleted',
  ]);
  for (const line of audited().filter(({ audit }) => audit !== 'password_reset_mailed')) {
    expect(line).toMatchObject({ clientIp: '127.0.0.1', requestId: expect.stringMatching(/^[\w-]{8,}$/) });
    expect(Boolean(line.account ?? line.email)).toBe(true);
  }
  secrets.push(newEmail, 'a wrong secret', 'nope nope', token, last, confirmation, reset);
  const everything = lines.join('\n');
  for (const secret of secrets) expect(everything).not.toContain(secret);
});

test('onboarding is audited from the first mail to the first sign-in', async () => {
  const buyer = { email: 'audited@shop.example', locale: 'gb' as const };
  await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now());
  host.clock.advance(1000);
  await send(host, 'POST', '/api/account/onboarding/resend', { email: buyer.email });
  const token = await mailedToken(host, buyer.email);
  const body = { token, firstName: 'A', lastName: 'B', password: NEW, confirmPassword: NEW };
  await send(host, 'POST', '/api/account/onboarding', body);
  await send(host, 'POST', '/api/account/onboarding', body);
  host.clock.advance(61_000);
  await send(host, 'POST', '/api/account/onboarding', body);
  expect(audited().map(({ audit, reason }) => [audit, reason])).toEqual([
    ['onboarding_asked', undefined],
    ['onboarding_mailed', undefined],
    ['onboarded', undefined],
    ['mail_token_refused', 'token_used'],
    ['mail_token_repeated', undefined],
    ['mail_token_refused', 'token_used'],
  ]);
  expect(lines.join('\n')).not.toContain(buyer.email);
});

test('an address has the same digest in any letter case, and different addresses have different ones', async () => {
  const wrong = { password: 'a wrong secret' };
  for (const email of ['one@test.example', 'ONE@test.example', 'two@test.example']) {
    await send(host, 'POST', '/api/login_check', { ...wrong, email });
  }
  const [one, shouted, two] = audited().map(({ email }) => email);
  expect(shouted).toBe(one);
  expect(two).not.toBe(one);
});
