import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateLimits } from '#host/db/accounts.tables';
import { apiKeys } from '#host/db/keys.tables';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;
let secret: string;
let rules: string;

beforeAll(async () => {
  host = await createTestHost();
  ({ secret } = await makeApiKey(host, await host.account()));
  const made = await call('POST', '/codes', { type: 'link', content: 'https://a.example/' });
  rules = `/codes/${made.body.data.id}/rules`;
});
afterAll(() => host.close());

const call = callsOfPrograms(() => ({ host, secret }));
const link = { type: 'link', content: 'https://a.example/' };
const webhook = { url: 'https://a.example.com/', events: ['code.created'] };
const variants = [{ target: 'https://b.example/' }];

test.each<[string, string, object, string, string]>([
  ['POST', '/statistics', { period: 5 }, '/period', 'Send 7, 30, 90 or 365.'],
  [
    'POST',
    '/statistics',
    { period: 7, from: '2026-01-01', to: '2026-01-02' },
    '/period',
    'Send either period',
  ],
  ['GET', '/codes.csv?separator=tab', {}, '?separator', 'Send comma or semicolon.'],
  ['POST', '/codes', { ...link, type: 'video' }, '/type', 'Send link, text, email,'],
  ['POST', '/codes', { ...link, counted: 'yes' }, '/counted', 'Send true or false.'],
  ['POST', '/codes', { ...link, visibility: 'hidden' }, '/visibility', 'Send private or public.'],
  ['POST', '/codes', { ...link, name: 7 }, '/name', 'Send a text.'],
  ['POST', '/codes', { ...link, logo: { kind: 'preset', name: 'x' } }, '/logo/name', 'logo presets'],
  ['POST', '/codes', { ...link, logo: { kind: 'heart' } }, '/logo/kind', 'none, preset or upload'],
  ['POST', '/codes', { ...link, style: { moduleShape: 'star' } }, '/style/moduleShape', 'Send square'],
  ['POST', '/jobs', { act: 'burn', ids: ['x'] }, '/act', 'Send tag, untag,'],
  ['POST', '/jobs', { act: 'archive', ids: ['x'] }, '/ids/0', 'Send an id, as the API gave it.'],
  ['POST', '/webhooks', { ...webhook, events: ['code.read'] }, '/events/0', 'Send code.created,'],
  [
    'POST',
    '/webhooks',
    { ...webhook, description: null },
    '/description',
    'Send a text, which may be empty.',
  ],
  ['POST', 'rules', { variants, countries: ['France'] }, '/countries/0', 'such as FR'],
  ['POST', 'rules', { variants, weekdays: [8] }, '/weekdays/0', '7 for Sunday'],
  ['POST', 'rules', { variants, systems: ['symbian'] }, '/systems/0', 'Send ios, android or other.'],
  ['POST', 'rules', { variants, from: '9:00', to: '17:00' }, '/from', 'such as 17:30'],
])('%s %s with %j says what to send at %s', async (method, path, sent, pointer, text) => {
  const answer = await call(method, path.replace(/^rules$/, rules), method === 'GET' ? undefined : sent);
  expect([answer.status, answer.body.errors]).toEqual([
    422,
    expect.arrayContaining([expect.objectContaining({ pointer, message: expect.stringContaining(text) })]),
  ]);
});

test('a moment may have an offset, and is read in UTC', async () => {
  const at = '2027-03-01T09:00:00+02:00';
  const changed = await call('PATCH', rules.replace('/rules', ''), {
    routing: { schedule: { at, target: 'https://b.example/' } },
  });
  expect(changed.status).toBe(200);
  const { body } = await call('GET', rules.replace('/rules', '/routing'));
  expect(Date.parse(body.data.routing.schedule.at)).toBe(Date.parse(at));
  expect(body.data.routing.schedule.at).toMatch(/Z$/);
});

test('a limit that is used up is named', async () => {
  const account = await host.account();
  const { secret: own } = await makeApiKey(host, account);
  const me = await host.db.orm.select({ id: apiKeys.accountId }).from(apiKeys);
  const resetsAt = new Date(host.clock.now().getTime() + 1_800_000);
  await host.db.orm
    .insert(rateLimits)
    .values(me.map(({ id }) => ({ key: `creation:${id}`, points: 1_000, resetsAt })))
    .onConflictDoUpdate({ target: rateLimits.key, set: { points: 1_000, resetsAt } });
  const refused = await call('POST', '/codes', link, {}, own);
  expect([refused.status, refused.body.detail]).toEqual([429, expect.stringContaining('"creation"')]);
  const used = refused.headers.get('ratelimit');
  expect(used).toContain('"creation";r=0;t=1800');
  expect(used).toContain('"default";r=299');
});

test('what cannot be read is named', async () => {
  const broken = await call('POST', '/codes', '{"type":');
  expect([broken.status, broken.body.detail]).toEqual([400, 'The body is not valid JSON.']);
  const key = await call('POST', '/codes', link, { 'idempotency-key': 'a"b' });
  expect([key.status, key.body.detail]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
});
