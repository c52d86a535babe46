import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '#contract/time';
import { webhooks } from '#host/db/webhooks.tables';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { subjectsTo } from '../../support/json-calls';
import { webhookCalls } from './receivers';

const A = 'https://hooks.program.com/a';
const B = 'https://hooks.program.com/b';
const wanted = { url: A, events: ['code.created'] };
const MADE = 'A webhook was added to your account';
const MOVED = 'A webhook of your account has another address';
const ROTATED = 'A webhook of your account has a new secret';

let host: TestHost;
let account: TestAccount;
let secret: string;
const { call, make } = webhookCalls(() => ({ host, account }));
const program = callsOfPrograms(() => ({ host, secret }));
const proof = () => ({ currentPassword: account.password });
const mails = async () =>
  (await subjectsTo(host, account.email)).filter((subject) => [MADE, MOVED, ROTATED].includes(subject));

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(MINUTE_MS);
  await host.db.orm.execute(sql`delete from webhooks; delete from rate_limits`);
  account = await host.account();
  secret = (await makeApiKey(host, account)).secret;
});
afterAll(() => host.close());

test.each([
  [{}, 'password_required'],
  [{ currentPassword: 'wrong' }, 'password_wrong'],
])('with %j nothing is made, moved or rotated', async (sent, code) => {
  const { id } = await make();
  const before = await host.db.orm.select().from(webhooks);
  const refused = [
    await call('POST', '', { ...wanted, ...sent }),
    await call('PATCH', `/${id}`, { url: B, ...sent }),
    await call('POST', `/${id}/rotate`, sent),
  ];
  for (const { status, body } of refused)
    expect([status, body.errors]).toEqual([422, { currentPassword: [code] }]);
  expect(await host.db.orm.select().from(webhooks)).toEqual(before);
  expect(await mails()).toEqual([MADE]);
});

test('what keeps the address needs no password, nor does the same address', async () => {
  const { id } = await make({ description: 'one' });
  for (const body of [{ description: 'two' }, { enabled: false }, { url: A }])
    expect((await call('PATCH', `/${id}`, body)).status).toBe(200);
  expect(await mails()).toEqual([MADE]);
});

test('with a second factor, each of them needs a code as well', async () => {
  const { id } = await make();
  const { secret: authenticator } = await setUpAuthenticator(host, account);
  host.clock.advance(MINUTE_MS);
  const calls = (code: object) => [
    () => call('POST', '', { ...wanted, ...proof(), ...code }),
    () => call('PATCH', `/${id}`, { url: B, ...proof(), ...code }),
    () => call('POST', `/${id}/rotate`, { ...proof(), ...code }),
  ];
  for (const send of calls({})) expect((await send()).body.errors).toEqual({ code: ['code_required'] });
  const statuses: number[] = [];
  for (const send of calls({ code: codeAt(authenticator, host.clock.now()) }))
    statuses.push((await send()).status);
  expect(statuses).toEqual([201, 200, 200]);
});

test('its owner is told of each, once, by mail and in the recent activities', async () => {
  host.clock.advance(1);
  const { id } = await make({ key: 'form' });
  await make({ key: 'form' });
  host.clock.advance(1);
  await call('PATCH', `/${id}`, { url: B, ...proof() });
  host.clock.advance(1);
  await call('POST', `/${id}/rotate`, proof());
  expect((await call('POST', `/${id}/rotate`, proof())).status).toBe(409);
  expect(await mails()).toEqual([ROTATED, MOVED, MADE]);
  const overview = await host.request('/api/dashboard/overview', { token: account.token });
  const { recentActivities } = (await overview.json()).data as { recentActivities: { type: string }[] };
  expect(recentActivities.map(({ type }) => type).slice(0, 3)).toEqual([
    'webhook_rotated',
    'webhook_moved',
    'webhook_made',
  ]);
});

test('a program has no password: its key is enough, and its owner is told', async () => {
  const tried = await program('POST', '/webhooks?dry_run=true', wanted);
  expect([tried.status, await mails()]).toEqual([200, []]);
  const { id } = (await program('POST', '/webhooks', wanted)).body.data;
  host.clock.advance(1);
  await program('PATCH', `/webhooks/${id}`, { url: B });
  host.clock.advance(1);
  await program('POST', `/webhooks/${id}/rotate`);
  expect(await mails()).toEqual([ROTATED, MOVED, MADE]);
});

test('the document for programs asks for no password', async () => {
  const { paths } = await (await host.request('/api/v1/openapi.json')).json();
  const propertiesOf = (path: string, method: string) =>
    Object.keys(paths[path][method].requestBody.content['application/json'].schema.properties);
  expect(propertiesOf('/api/v1/webhooks', 'post')).toEqual(['url', 'description', 'events', 'tag']);
  expect(propertiesOf('/api/v1/webhooks/{id}', 'patch')).not.toContain('currentPassword');
  expect(paths['/api/v1/webhooks/{id}/rotate'].post.requestBody).toBeUndefined();
});

test('60 in an hour are accepted, of one account', async () => {
  for (let made = 0; made < 60; made += 1) {
    const { body, status } = await program('POST', '/webhooks', wanted);
    expect(status).toBe(201);
    await program('DELETE', `/webhooks/${body.data.id}`);
    if (made % 20 === 0) host.clock.advance(MINUTE_MS);
  }
  host.clock.advance(MINUTE_MS);
  expect((await program('POST', '/webhooks', wanted)).status).toBe(429);
  expect((await call('POST', '', { ...wanted, ...proof() })).status).toBe(429);
});
