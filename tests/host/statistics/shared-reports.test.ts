import { Writable } from 'node:stream';
import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SharedReport, SharedStatistics } from '#contract/shared-reports';
import { DAY_MS } from '#contract/time';
import { accounts } from '#host/db/accounts.tables';
import { sharedReports } from '#host/db/insight.tables';
import { subscriptions } from '#host/db/subscriptions.tables';
import { dropOldAccountData } from '#host/privacy/account-retention';
import { resealSharedReports } from '#host/statistics/shared-reports';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

const PATH = '/api/reports';

let host: TestHost;
let owner: TestAccount;
let logged = '';

beforeAll(async () => {
  const output = new Writable({
    write(chunk, _, next) {
      logged += chunk;
      next();
    },
  });
  host = await createTestHost({ log: pino({ level: 'trace' }, output) });
});
beforeEach(async () => {
  host.clock.set(START);
  await host.db.orm.execute('delete from rate_limits');
  owner = await host.account();
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: unknown, token = owner.token) =>
  send(host, method, path, body, { token });
const share = (body: object = {}) => call('POST', PATH, { name: 'Client', filter: {}, days: 30, ...body });
const listed = async (token?: string) =>
  (await call('GET', PATH, undefined, token)).body.data as SharedReport[];
const read = (token: unknown) => send(host, 'POST', `${PATH}/read`, { token });

async function shared(body?: object) {
  const { status, body: answer } = await share(body);
  expect(status).toBe(201);
  return answer.data as SharedReport & { token: string };
}

async function figuresOf(token: string) {
  const { status, body } = await read(token);
  expect(status).toBe(200);
  return body.data as { owner: string; endsAt: string; statistics: SharedStatistics };
}

async function problemOf(token: unknown) {
  const { status, body } = await read(token);
  return [status, body.errors?.token?.[0] ?? body.code];
}

test('a link has 192 random bits, and the database has neither it nor what leads to it', async () => {
  const { token } = await shared();
  expect(Buffer.from(token, 'base64url')).toHaveLength(24);
  expect((await shared({ name: 'Other' })).token).not.toBe(token);
  const rows = JSON.stringify(await host.db.orm.select().from(sharedReports));
  expect(rows).not.toContain(token);
  expect(rows).not.toContain(Buffer.from(token).toString('base64url'));
  expect((await listed()).map((report) => report.token)).toContain(token);
  await read(token);
  await read(`${token}x`);
  expect(logged).not.toContain(token);
});

test('readers get figures without addresses, tags or single visits', async () => {
  await host.db.orm.update(accounts).set({ publicName: 'Café du Coin' }).where(eq(accounts.id, owner.id));
  const names = ['Table 1', 'see https://name.example/x', 'mail me@named.example', 'shop.example', null];
  for (const [at, name] of names.entries()) {
    const content = `https://destination-${at}.example/secret`;
    const code = await host.code(owner.id, { content, name, tags: ['private tag'] });
    await host.recorder.record(visitOf(code.id, START.toISOString()));
  }
  await host.recorder.idle();
  const { token } = await shared();
  const { statistics, ...rest } = await figuresOf(token);
  expect(rest).toEqual({ owner: 'Café du Coin', endsAt: '2026-04-02T00:00:00.000Z' });
  expect(statistics.figures.visits.value).toBe(5);
  expect(statistics.mostActive.codes.map(({ name }) => name).sort()).toEqual([
    'Table 1',
    null,
    null,
    null,
    null,
  ]);
  const text = JSON.stringify(statistics);
  expect(text).not.toMatch(/destination|secret|private tag|name\.example|named\.example|shop\.example/);
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(text).not.toContain(owner.email);
});

test('a period moves on with the days, and dates stay', async () => {
  const moving = await shared({ filter: { period: 7, timeZone: 'Europe/Paris' } });
  const fixed = await shared({ filter: { from: '2026-02-01', to: '2026-02-28' } });
  expect((await figuresOf(moving.token)).statistics.period).toMatchObject({
    from: '2026-02-24',
    to: '2026-03-02',
    timeZone: 'Europe/Paris',
  });
  host.clock.advance(10 * DAY_MS);
  expect((await figuresOf(moving.token)).statistics.period.to).toBe('2026-03-12');
  expect((await figuresOf(fixed.token)).statistics.period).toMatchObject({
    from: '2026-02-01',
    to: '2026-02-28',
  });
});

test('a link ends after the last of its days, in the zone of its figures', async () => {
  const { token, endsAt } = await shared({ days: 7, filter: { timeZone: 'Pacific/Auckland' } });
  expect(endsAt).toBe('2026-03-09T11:00:00.000Z');
  host.clock.set(new Date(Date.parse(endsAt) - 1));
  expect((await read(token)).status).toBe(200);
  host.clock.set(new Date(endsAt));
  expect(await problemOf(token)).toEqual([422, 'report_link_ended']);
  expect(await listed()).toEqual([]);
  host.clock.set(START);
  expect((await shared({ days: undefined, until: '2026-03-02' })).endsAt).toBe('2026-03-03T00:00:00.000Z');
});

test.each([
  [{ days: 8 }],
  [{ days: undefined }],
  [{ until: '2026-04-01' }],
  [{ days: undefined, until: '2026-03-01' }],
  [{ days: undefined, until: '2027-03-04' }],
  [{ days: undefined, until: '2026-02-30' }],
  [{ days: undefined, until: 'tomorrow' }],
  [{ name: '' }],
  [{ name: 'x'.repeat(61) }],
  [{ name: 'a\u0000b' }],
  [{ filter: { period: 8 } }],
  [{ filter: { from: '2026-03-01', to: '2027-01-01' } }],
])('%j makes no link', async (body) => {
  expect((await share(body)).status).toBe(422);
  expect(await listed()).toEqual([]);
});

test('an ended link tells so for a year, and an unknown one nothing', async () => {
  const { id, token } = await shared();
  expect((await call('DELETE', `${PATH}/${id}`)).body.message).toBe('report_ended');
  expect(await problemOf(token)).toEqual([422, 'report_link_ended']);
  expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
  for (const unknown of ['', 'x', token.slice(1), `${token}A`, 'ü'.repeat(50)])
    expect(await problemOf(unknown)).toEqual([422, 'report_link_unknown']);
  expect((await read(7)).status).toBe(422);
  expect((await read('x'.repeat(201))).status).toBe(422);
  host.clock.advance(370 * DAY_MS);
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await problemOf(token)).toEqual([422, 'report_link_unknown']);
});

test('links, codes and tags of others are not found', async () => {
  const { id, token } = await shared();
  const stranger = await host.account();
  expect((await call('DELETE', `${PATH}/${id}`, undefined, stranger.token)).status).toBe(404);
  expect(await listed(stranger.token)).toEqual([]);
  expect((await read(token)).status).toBe(200);
  const code = await host.code(stranger.id, { tags: ['theirs'] });
  expect((await share({ filter: { code: code.id } })).status).toBe(404);
  expect((await share({ filter: { tag: 'theirs' } })).status).toBe(404);
});

test('a link about a code ends with it, as far as readers can tell', async () => {
  const code = await host.code(owner.id, { name: 'Poster' });
  const { token, code: about } = await shared({ filter: { code: code.id } });
  expect(about).toMatchObject({ name: 'Poster' });
  expect((await figuresOf(token)).statistics.code).toEqual({ type: 'link', name: 'Poster' });
  await call('DELETE', `/api/qrcodes/${code.id}`);
  expect(await problemOf(token)).toEqual([422, 'report_link_ended']);
  expect(await listed()).toMatchObject([{ code: null, filter: { code: code.id } }]);
});

test('without paid time nobody reads it, and its owner can still end it', async () => {
  const { id, token } = await shared();
  const set = (accessUntil: Date) =>
    host.db.orm.update(subscriptions).set({ accessUntil }).where(eq(subscriptions.accountId, owner.id));
  await set(START);
  expect(await problemOf(token)).toEqual([402, 'subscription_required']);
  expect((await share()).status).toBe(402);
  expect(await listed()).toHaveLength(1);
  await set(new Date(START.getTime() + DAY_MS));
  expect((await read(token)).status).toBe(200);
  await set(START);
  expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(200);
});

test('the same form makes one link, and an account has 20 at the most', async () => {
  const key = 'the-same-form';
  const first = await shared({ key });
  expect((await shared({ key })).token).toBe(first.token);
  expect((await shared({ key, name: 'Edited' })).id).not.toBe(first.id);
  await Promise.all(Array.from({ length: 25 }, (_, at) => share({ name: `Client ${at}` })));
  expect(await listed()).toHaveLength(20);
  expect((await share()).status).toBe(409);
  await call('DELETE', `${PATH}/${first.id}`);
  expect((await share()).status).toBe(201);
});

test.each([
  ['pages', 300, false],
  ['files', 30, true],
])('readers get as many %s in an hour as %i by address', async (_, most, isFile) => {
  const { token } = await shared();
  const statusOf = async (body: object) =>
    (await send(host, 'POST', `${PATH}/read`, { ...body, isFile })).status;
  for (let at = 0; at < most; at += 1) expect(await statusOf({ token: 'x' })).toBe(422);
  expect(await statusOf({ token })).toBe(429);
});

test('an erased account leaves no link, and an export lists them without their addresses', async () => {
  const { id, token } = await shared({ name: 'Client Miller' });
  const exported = await host.request('/api/account/export', { token: owner.token });
  const text = await exported.text();
  expect(JSON.parse(text).data.sharedReports).toMatchObject([{ id, name: 'Client Miller' }]);
  expect(text).not.toContain(token);
  await call('DELETE', '/api/account', { password: owner.password });
  expect(await problemOf(token)).toEqual([422, 'report_link_unknown']);
});

test('a link outlives the secret it was kept with, and is kept with the present one meanwhile', async () => {
  const { token } = await shared();
  const [old = ''] = host.deps.settings.jwtSecrets;
  const withSecrets = (jwtSecrets: string[]) =>
    resealSharedReports({ ...host.deps, settings: { ...host.deps.settings, jwtSecrets } });
  await withSecrets(['a newer secret, long enough for all', old]);
  expect((await listed())[0]?.token).toBeNull();
  expect((await read(token)).status).toBe(200);
  await withSecrets([old, 'a newer secret, long enough for all']);
  expect((await listed())[0]?.token).toBe(token);
});
