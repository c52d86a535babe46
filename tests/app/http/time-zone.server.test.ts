import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { signInCookie } from '~/http/session.server';
import { readZone } from '~/http/time-zone.server';
import { scopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({});
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
