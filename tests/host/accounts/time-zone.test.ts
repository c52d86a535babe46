import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  account = await host.account();
});
afterAll(() => host.close());

const choose = (timeZone: unknown) => send(host, 'PUT', '/api/account/time-zone', { timeZone }, account);

async function zones() {
  const profile = await send(host, 'GET', '/api/account/profile', undefined, account);
  const { email, password } = account;
  const signedIn = await send(host, 'POST', '/api/login_check', { email, password });
  return [
    (profile.body.data as { timeZone: unknown }).timeZone,
    decodeJwt(signedIn.body.token ?? '').zoneinfo,
  ];
}

test('the time zone of an account is in its profile, its export and the next sign-in, until it is unset', async () => {
  expect(await zones()).toEqual([null, undefined]);
  expect((await choose('America/New_York')).body).toMatchObject({ message: 'time_zone_changed' });
  expect(await zones()).toEqual(['America/New_York', 'America/New_York']);
  const exported = await send(host, 'GET', '/api/account/export', undefined, account);
  expect(exported.body.data).toMatchObject({ account: { timeZone: 'America/New_York' } });
  expect((await choose(null)).status).toBe(200);
  expect(await zones()).toEqual([null, undefined]);
});

test.each(['Mars/Olympus', '', '../../etc', 'x'.repeat(65), 7, {}, undefined])(
  'an invalid time zone is refused: %j',
  async (timeZone) => {
    const answer = await choose(timeZone);
    expect([answer.status, answer.body.errors]).toEqual([422, { timeZone: ['time_zone_invalid'] }]);
    expect(await zones()).toEqual([null, undefined]);
  },
);

test('no other account’s time zone changes', async () => {
  const other = await host.account();
  await choose('Asia/Tokyo');
  const { body } = await send(host, 'GET', '/api/account/profile', undefined, other);
  expect(body.data).toMatchObject({ timeZone: null });
});
