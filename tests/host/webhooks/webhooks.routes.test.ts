import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exportAccount } from '#contract/accounts';
import { DAY_MS } from '#contract/time';
import type { Webhook, WebhookWithSecret } from '#contract/webhooks';
import { changeCode } from '#host/codes/code/change';
import { jobs } from '#host/db/jobs.tables';
import {
  webhookDeliveries,
  webhookEvents,
  webhookPositions,
  webhooks,
  webhookTotals,
} from '#host/db/webhooks.tables';
import { dropOldDeliveries } from '#host/webhooks/deliveries';
import { resealWebhookSecrets } from '#host/webhooks/secrets';
import { tellVisits } from '#host/webhooks/visits';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { Receivers, verified, webhookCalls } from './receivers';

const A = 'https://hooks.program.com/a';
const receivers = new Receivers();
let host: TestHost;
let account: TestAccount;
let secret: string;
const { call, make, read, log, deliver } = webhookCalls(() => ({ host, account }));
const program = callsOfPrograms(() => ({ host, secret }));

beforeAll(async () => {
  host = await createTestHost({ requestPublic: receivers.requestPublic });
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(new Date());
  await host.db.orm.execute(sql`delete from webhooks; delete from rate_limits`);
  receivers.clear();
  account = await host.account();
  secret = (await makeApiKey(host, account)).secret;
});

test('its owner makes, reads, changes and deletes a webhook', async () => {
  const made = await make({ url: ` ${A} `, description: 'Stock', tag: 'Menu' });
  expect(made).toMatchObject({
    url: A,
    description: 'Stock',
    tag: 'Menu',
    events: ['code.created', 'code.updated', 'code.deleted'],
    enabled: true,
    offReason: null,
    earlierSecretUntil: null,
  });
  const { secret: _, earlierSecretUntil: __, ...listed } = made;
  expect((await call('GET', '')).body.data).toEqual([listed]);
  const changed = await call('PATCH', `/${made.id}`, { tag: '', events: ['code.deleted', 'code.deleted'] });
  expect(changed.body.data).toMatchObject({ tag: null, events: ['code.deleted'], description: 'Stock' });
  await call('PATCH', `/${made.id}`, { enabled: false });
  expect(await read(made.id)).toMatchObject({ enabled: false, offReason: 'owner', secret: made.secret });
  await call('PATCH', `/${made.id}`, { enabled: true });
  expect(await read(made.id)).toMatchObject({ enabled: true, offReason: null, offAt: null });
  expect((await call('DELETE', `/${made.id}`)).body.message).toBe('webhook_deleted');
  expect((await call('DELETE', `/${made.id}`)).status).toBe(404);
  expect((await call('GET', '')).body.data).toEqual([]);
});

test.each([
  ['http://hooks.program.com/', 'webhook_url_not_https'],
  ['hooks.program.com', 'webhook_url_invalid'],
  ['', 'webhook_url_required'],
  [`https://a.com/${'x'.repeat(1_000)}`, 'webhook_url_too_long'],
  ['https://me:secret@hooks.program.com/', 'webhook_url_credentials'],
  ['https://localhost/', 'webhook_url_not_public'],
  ['https://127.0.0.1/', 'webhook_url_not_public'],
  ['https://2130706433/', 'webhook_url_not_public'],
  ['https://0x7f.1/', 'webhook_url_not_public'],
  ['https://0177.0.0.1/', 'webhook_url_not_public'],
  ['https://[::1]/', 'webhook_url_not_public'],
  ['https://[::ffff:10.0.0.1]/', 'webhook_url_not_public'],
  ['https://10.1.2.3:8443/', 'webhook_url_not_public'],
  ['https://169.254.169.254/latest/meta-data', 'webhook_url_not_public'],
  ['https://printer.local/', 'webhook_url_not_public'],
  ['https://intranet/', 'webhook_url_not_public'],
])('%s is refused with %s, when it is made and when it is changed', async (url, code) => {
  const { id } = await make();
  const refused = await call('POST', '', { url, events: ['code.created'] });
  expect([refused.status, refused.body.errors]).toEqual([422, { url: [code] }]);
  expect((await call('PATCH', `/${id}`, { url })).body.errors).toEqual({ url: [code] });
  expect((await read(id)).url).toBe(A);
});

test.each([
  [{ events: [] }, { events: ['webhook_events_required'] }],
  [{ events: ['code.printed'] }, { events: ['webhook_event_unknown'] }],
  [{ tag: 'one, two' }, { tag: ['webhook_tag_invalid'] }],
  [{ description: 'x'.repeat(101) }, { description: ['webhook_description_too_long'] }],
  [{ description: 'two\nlines' }, { description: ['webhook_description_invalid'] }],
])('%o is refused', async (fields, errors) => {
  const { status, body } = await call('POST', '', { url: A, events: ['code.created'], ...fields });
  expect([status, body.errors]).toEqual([422, errors]);
});

test('there are at most ten, and a form that is sent twice makes one', async () => {
  const [first, again] = [await make({ key: 'form-1' }), await make({ key: 'form-1' })];
  expect(again.id).toBe(first.id);
  for (let count = 1; count < 10; count += 1) await make();
  expect(
    (await call('POST', '', { url: A, events: ['code.created'], currentPassword: account.password })).status,
  ).toBe(409);
  expect((await make({ key: 'form-1' })).id).toBe(first.id);
});

test('nobody finds the webhooks of others', async () => {
  const { id } = await make();
  await host.code(account.id);
  const [delivery] = await log(id);
  const own = await webhookCalls(() => ({ host, account })).make();
  const before = await read(id);
  const stranger = await host.account();
  const others = webhookCalls(() => ({ host, account: stranger }));
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', `/deliveries/${delivery?.id}/resend`],
  ] as const) {
    const { status } = await others.call(method, `/${id}${path}`, method === 'GET' ? undefined : {});
    expect([method, path, status]).toEqual([method, path, 404]);
  }
  expect((await others.call('GET', '')).body.data).toEqual([]);
  expect(await read(id)).toEqual(before);
  expect((await call('POST', `/${own.id}/deliveries/${delivery?.id}/resend`)).status).toBe(404);
});

test('without a running subscription webhooks can be read and deleted, not made or changed', async () => {
  account = await host.account({ access: false });
  expect((await call('POST', '', { url: A, events: ['code.created'] })).status).toBe(402);
  expect((await call('GET', '')).status).toBe(200);
});

describe('a program', () => {
  const wanted = { url: A, events: ['code.created'] };

  test('makes one once, tries one, and changes only what it has read', async () => {
    const tried = await program('POST', '/webhooks?dry_run=true', wanted);
    expect([tried.status, tried.body]).toEqual([200, { data: null, dryRun: true }]);
    expect((await program('GET', '/webhooks')).body).toEqual({ data: [], hasMore: false, nextCursor: null });
    const key = { 'Idempotency-Key': 'hook-1' };
    const made = await program('POST', '/webhooks', wanted, key);
    const again = await program('POST', '/webhooks', wanted, key);
    expect([made.status, again.status, again.body.data.id]).toEqual([201, 201, made.body.data.id]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    const path = `/webhooks/${made.body.data.id}`;
    const etag = made.headers.get('ETag') ?? '';
    expect((await program('GET', path)).headers.get('ETag')).toBe(etag);
    host.clock.advance(1_000);
    expect((await program('PATCH', path, { enabled: false }, { 'If-Match': etag })).status).toBe(200);
    for (const [method, body] of [['PATCH', { enabled: true }], ['DELETE']] as const)
      expect((await program(method, path, body, { 'If-Match': etag })).status).toBe(412);
    expect((await program('GET', path)).body.data.enabled).toBe(false);
    expect((await program('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(200);
  });

  test('reads the log part by part, rotates, tests and sends again', async () => {
    const { id } = await make({ events: ['code.created'] });
    for (let count = 0; count < 3; count += 1) await host.code(account.id);
    await deliver();
    const first = await program('GET', `/webhooks/${id}/deliveries?limit=2`);
    expect([first.body.data.length, first.body.hasMore]).toEqual([2, true]);
    const rest = await program('GET', `/webhooks/${id}/deliveries?limit=2&cursor=${first.body.nextCursor}`);
    expect([rest.body.data.length, rest.body.hasMore]).toEqual([1, false]);
    const delivery = rest.body.data[0].id;
    expect((await program('POST', `/webhooks/${id}/deliveries/${delivery}/resend`)).status).toBe(200);
    expect((await program('POST', `/webhooks/${id}/test`)).body.data.type).toBe('test');
    expect((await program('POST', `/webhooks/${id}/rotate`)).body.data.secret).toMatch(/^whsec_/);
    await deliver();
    expect(receivers.received).toHaveLength(5);
  });

  test('with a key for one tag sees, and is told of, nothing else', async () => {
    secret = (await makeApiKey(host, account, { tag: 'Menu' })).secret;
    const beyond = await program('POST', '/webhooks', { ...wanted, tag: 'Other' });
    expect(beyond.body.errors).toMatchObject([{ pointer: '/tag', code: 'tag_of_key' }]);
    const made = await program('POST', '/webhooks', wanted);
    expect(made.body.data.tag).toBe('Menu');
    const { id: whole } = await make({ url: 'https://hooks.program.com/whole' });
    const { id: same } = await make({ url: 'https://hooks.program.com/same', tag: 'menu' });
    const listed: Webhook[] = (await program('GET', '/webhooks')).body.data;
    expect(listed.map(({ id }) => id).sort()).toEqual([made.body.data.id, same].sort());
    for (const path of ['', '/deliveries'])
      expect((await program('GET', `/webhooks/${whole}${path}`)).status).toBe(404);
    const freed = await program('PATCH', `/webhooks/${made.body.data.id}`, { tag: null });
    expect(freed.body.data.tag).toBe('Menu');
    await host.code(account.id, { name: 'outside' });
    await host.code(account.id, { name: 'inside', tags: ['MENU', 'Terrace'] });
    await deliver();
    expect(receivers.typesAt(A)).toEqual(['code.created inside']);
  });

  test('with a key for one tag gets no messages about other codes of a webhook that now has its tag', async () => {
    const { id } = await make({ events: ['code.created'] });
    const inside = await host.code(account.id, { name: 'inside', tags: ['Menu'] });
    await host.code(account.id, { name: 'outside', tags: ['Other'] });
    await call('POST', `/${id}/test`);
    await deliver();
    const all = await log(id);
    const outside = all.find(({ body }) => body.includes('outside'));
    receivers.clear();
    await host.code(account.id, { name: 'waits outside' });
    const waiting = await host.code(account.id, { name: 'waits inside', tags: ['Menu'] });
    await call('PATCH', `/${id}`, { tag: 'Menu' });
    await deliver();
    expect(receivers.typesAt(A)).toEqual(['code.created waits inside']);
    expect((await log(id)).map(({ status }) => status).sort()).toEqual([
      'delivered',
      'delivered',
      'delivered',
      'delivered',
      'failed',
    ]);
    secret = (await makeApiKey(host, account, { tag: 'menu' })).secret;
    const path = `/webhooks/${id}/deliveries`;
    const namesOf = async () => {
      const logged: { body: string }[] = (await program('GET', path)).body.data;
      return logged.map(({ body }) => {
        const { type, data } = JSON.parse(body);
        return data.code?.name ?? type;
      });
    };
    expect(await namesOf()).toEqual(['waits inside', 'test', 'inside']);
    expect((await program('POST', `${path}/${outside?.id}/resend`)).status).toBe(404);
    const seen = all.find(({ body }) => body.includes(inside.id));
    expect((await program('POST', `${path}/${seen?.id}/resend`)).status).toBe(200);
    for (const { id } of [inside, waiting])
      await send(host, 'PATCH', `/api/qrcodes/${id}`, { tags: [] }, { token: account.token });
    expect(await namesOf()).toEqual(['test']);
    expect(await log(id)).toHaveLength(6);
  });

  test('with a key that may only read gets no secret', async () => {
    const { id } = await make();
    secret = (await makeApiKey(host, account, { permission: 'read' })).secret;
    expect((await program('GET', `/webhooks/${id}`)).status).toBe(403);
    for (const path of ['', `/${id}/deliveries`]) {
      const { status, text } = await program('GET', `/webhooks${path}`);
      expect([status, text.includes('whsec_')]).toEqual([200, false]);
    }
  });
});

test('100 messages an hour can be sent by hand', async () => {
  const { id } = await make();
  for (let count = 0; count < 100; count += 1) expect((await call('POST', `/${id}/test`)).status).toBe(200);
  expect((await call('POST', `/${id}/test`)).status).toBe(429);
});

test('secrets are encrypted, and still sign after the secret of the host has changed', async () => {
  const made = await make();
  const [row] = await host.db.orm.select().from(webhooks).where(eq(webhooks.id, made.id));
  expect(JSON.stringify(row)).not.toContain(made.secret.slice(6, 30));
  const old = host.deps.settings.jwtSecrets;
  try {
    host.deps.settings.jwtSecrets = ['a new secret of the test host, long enough', ...old];
    await resealWebhookSecrets(host.deps);
    host.deps.settings.jwtSecrets = ['a new secret of the test host, long enough'];
    await host.code(account.id);
    await deliver();
    expect(receivers.received.map((one) => verified(one, made.secret).type)).toEqual(['code.created']);
  } finally {
    host.deps.settings.jwtSecrets = old;
  }
});

test('the export of an account names its webhooks without their secrets', async () => {
  const made: WebhookWithSecret = await make({ description: 'Stock' });
  const exported = await send(host, 'GET', '/api/account/export', undefined, account);
  const { data } = exportAccount.response.parse(exported.body);
  expect(data.account.webhooks).toMatchObject([{ id: made.id, url: A, description: 'Stock' }]);
  expect(JSON.stringify(exported.body)).not.toContain('whsec_');
});

test('nothing is left of the webhooks of an erased account, which is told nothing more', async () => {
  await make({ events: ['code.created', 'code.deleted', 'code.milestone'] });
  await host.code(account.id);
  const { password } = account;
  expect((await send(host, 'DELETE', '/api/account', { password }, account)).status).toBe(200);
  await deliver();
  expect(receivers.received).toEqual([]);
  for (const table of [webhooks, webhookEvents, webhookPositions, webhookTotals])
    expect(await host.db.orm.$count(table, eq(table.accountId, account.id))).toBe(0);
  expect(await host.db.orm.$count(webhookDeliveries)).toBe(0);
  const left = await host.db.orm.select().from(jobs).where(eq(jobs.subject, account.id));
  expect(left.map(({ kind }) => kind)).not.toContain('webhook_visits');
});

test('an account is erased while its codes are changed, its visits told and its messages sent', async () => {
  for (let round = 0; round < 5; round += 1) {
    account = await host.account();
    const { id } = await make({ events: ['code.updated', 'code.first_visit'] });
    const made = await Promise.all([1, 2, 3, 4].map(() => host.code(account.id)));
    const { password, id: accountId } = account;
    for (const code of made) await host.request(`/r/${code.slug}`);
    host.clock.advance(60_000);
    const change = (code: { id: string }, name: string) =>
      changeCode(host.db.orm, { accountId, id: code.id }, { name }, host.clock.now());
    await Promise.all([
      ...made.map((code) => change(code, 'before')),
      deliver(),
      tellVisits(host.deps, host.clock.now()),
      call('PATCH', `/${id}`, { description: 'x' }),
      send(host, 'DELETE', '/api/account', { password }, account).then(({ status }) =>
        expect(status).toBe(200),
      ),
      ...made.map((code) => change(code, 'after')),
      dropOldDeliveries(host.db.orm, new Date(host.clock.now().getTime() + 40 * DAY_MS)),
    ]);
    for (const table of [webhooks, webhookEvents, webhookPositions, webhookTotals])
      expect(await host.db.orm.$count(table, eq(table.accountId, accountId))).toBe(0);
  }
});
