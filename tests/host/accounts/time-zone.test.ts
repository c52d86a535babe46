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

async function zone() {
  const profile = await send(host, 'GET', '/api/account/profile', undefined, account);
  return (profile.body.data as { timeZone: unknown }).timeZone;
}

test('the time zone of an account is in its profile and its export, until it is unset', async () => {
  expect(await zone()).toBeNull();
  expect((await choose('America/New_York')).body).toMatchObject({ message: 'time_zone_changed' });
  expect(await zone()).toBe('America/New_York');
  const exported = await send(host, 'GET', '/api/account/export', undefined, account);
  expect(exported.body.data).toMatchObject({ account: { timeZone: 'America/New_York' } });
  expect((await choose(null)).status).toBe(200);
  expect(await zone()).toBeNull();
});

test('of several guesses at once the first is kept, and none undoes a choice', async () => {
  const guess = (timeZone: string) =>
    send(host, 'PUT', '/api/account/time-zone', { timeZone, onlyIfUnset: true }, account);
  const answers = await Promise.all(['Asia/Tokyo', 'Asia/Dubai'].map(guess));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const guessed = await zone();
  expect(['Asia/Tokyo', 'Asia/Dubai']).toContain(guessed);
  await guess('Europe/Rome');
  expect(await zone()).toBe(guessed);
  await choose('America/New_York');
  await guess('Europe/Rome');
  expect(await zone()).toBe('America/New_York');
});

test.each(['Mars/Olympus', '', '../../etc', 'x'.repeat(65), 7, {}, undefined])(
  'an invalid time zone is refused: %j',
  async (timeZone) => {
    const answer = await choose(timeZone);
    expect([answer.status, answer.body.errors]).toEqual([422, { timeZone: ['time_zone_invalid'] }]);
    expect(await zone()).toBeNull();
  },
);

test('no other account’s time zone changes', async () => {
  const other = await host.account();
  await choose('Asia/Tokyo');
  const { body } = await send(host, 'GET', '/api/account/profile', undefined, other);
  expect(body.data).toMatchObject({ timeZone: null });
});
