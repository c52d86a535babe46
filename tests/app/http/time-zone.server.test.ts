import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { signInCookie } from '~/http/session.server';
import { readZone } from '~/http/time-zone.server';
import { send } from '../../support/json-calls';
import { scopeOf } from '../../support/scope';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/analytics': 'statistics/page.tsx',
    '/user/analytics/compare': 'statistics/compare-page.tsx',
  });
});
afterAll(() => website.close());

test.each([
  ['a stored zone', 'America/Lima', 'America/Lima'],
  ['no stored zone', null, 'Europe/Rome'],
])(
  'times are shown in the zone of the account, else in that of the language: %s',
  async (_, timeZone, zone) => {
    const { id, token } = await website.host.account();
    await website.host.db.orm.update(accounts).set({ timeZone }).where(eq(accounts.id, id));
    const cookie = (await signInCookie(token, false)).split(';')[0] ?? '';
    const request = new Request('http://localhost/user/dashboard?lng=it', { headers: { cookie } });
    expect(await readZone(await scopeOf(request))).toBe(zone);
  },
);

test('without a session, times are shown in the zone of the language', async () => {
  const request = new Request('http://localhost/?lng=it');
  expect(await readZone(await scopeOf(request))).toBe('Europe/Rome');
});

describe.each([
  ['the statistics', '/user/analytics?from=2026-02-20&to='],
  ['a comparison', '/user/analytics/compare?of1=all&of2=all&to1='],
])('%s', (_, path) => {
  test.each([
    ['Pacific/Kiritimati', '2026-03-03', 200],
    ['Pacific/Kiritimati', '2026-03-04', 400],
    ['Pacific/Pago_Pago', '2026-03-01', 200],
    ['Pacific/Pago_Pago', '2026-03-02', 400],
  ])(
    'title and page agree about the days of the account: in %s, %s has status %i',
    async (timeZone, day, status) => {
      startClocks(website);
      const account = await website.host.account();
      await send(website.host, 'PUT', '/api/account/time-zone', { timeZone }, account);
      const answer = await website.browse(`${path}${day}`, { as: account });
      expect([answer.status, /<title>Error: /.test(await answer.text())]).toEqual([status, status === 400]);
    },
  );
});
