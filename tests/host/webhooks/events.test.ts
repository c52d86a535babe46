import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#contract/time';
import { restoreCode } from '#host/codes/code/deletion';
import { runDueRouting } from '#host/codes/routing/due-work';
import { collectDestinations, createDestinationCheck } from '#host/insight/watch/check';
import { foldOldDays } from '#host/visits/count/fold';
import { findWebhook, storeWebhook } from '#host/webhooks/store';
import { scheduleVisits, tellVisits } from '#host/webhooks/visits';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { countWaiting } from '../../support/locks';
import { importCalls } from '../codes/import-calls';
import { jobCalls } from '../codes/job-calls';
import { Receivers, webhookCalls } from './receivers';

const A = 'https://hooks.program.com/a';
/** In the middle of an hour, before midnight. */
const EVENING = new Date('2026-03-02T22:30:00.000Z');
const receivers = new Receivers();
let host: TestHost;
let account: TestAccount;
let secret: string;
const { make, deliver, call } = webhookCalls(() => ({ host, account }));
const program = callsOfPrograms(() => ({ host, secret }));
const bulk = jobCalls(() => ({ host, account }));
const imports = importCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost({ requestPublic: receivers.requestPublic });
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(EVENING);
  await host.db.orm.execute(sql`delete from webhooks; delete from jobs; delete from destinations`);
  receivers.clear();
  account = await host.account();
});

async function told() {
  await deliver();
  return receivers.received.map(({ body }) => JSON.parse(body));
}

test('a code is told of however it was made, changed, deleted and brought back', async () => {
  await make();
  secret = (await makeApiKey(host, account)).secret;
  const made = await program('POST', '/codes', { type: 'text', content: 'hello', name: 'api' });
  const { id } = made.body.data;
  await send(host, 'PATCH', `/api/qrcodes/${id}`, { name: 'site', visibility: 'private' }, account);
  await send(host, 'PATCH', `/api/qrcodes/${id}`, { name: 'site' }, account);
  await program('PATCH', `/codes/${id}`, { tags: ['Menu'] });
  await send(host, 'POST', `/api/qrcodes/${id}/copies`, { name: 'copy' }, account);
  await program('DELETE', `/codes/${id}`);
  await restoreCode(host.db.orm, { accountId: account.id, id }, host.clock.now());
  await program('POST', '/codes?dry_run=true', { type: 'text', content: 'hello', name: 'tried' });
  const messages = await told();
  const ofCode = messages.filter(({ data }) => data.code.id === id);
  expect(ofCode.map(({ type, data }) => [type, data.code.name, data.changed])).toEqual([
    ['code.created', 'api', undefined],
    ['code.updated', 'site', ['visibility', 'name']],
    ['code.updated', 'site', ['tags']],
    ['code.deleted', 'site', undefined],
    ['code.created', 'site', undefined],
  ]);
  const [copied] = messages.filter(({ data }) => data.code.id !== id);
  expect([copied.type, copied.data.code.name]).toEqual(['code.created', 'copy']);
  expect(messages).toHaveLength(6);
});

test('every code of an import and of a change of many is told of', async () => {
  await make();
  const { data } = await imports.upload('url,name\nhttps://a.example/,one\nhttps://b.example/,two\n');
  await imports.start(data.id);
  await imports.run();
  await bulk.start({ act: 'tag', tag: 'Menu', filter: { search: '' } });
  await bulk.runAll();
  await bulk.start({ act: 'delete', filter: { tag: 'Menu' }, expected: 2 });
  await bulk.runAll();
  const types = (await told()).map(({ type, data: { code } }) => `${type} ${code.name}`);
  expect(types.sort()).toEqual([
    'code.created one',
    'code.created two',
    'code.deleted one',
    'code.deleted two',
    'code.updated one',
    'code.updated two',
  ]);
});

test('a change that was planned is told of when it takes effect', async () => {
  await make({ events: ['code.updated'] });
  const { id } = await host.code(account.id);
  const at = new Date(host.clock.now().getTime() + HOUR_MS).toISOString();
  const schedule = { at, target: 'https://next.example/' };
  await send(host, 'PATCH', `/api/qrcodes/${id}`, { routing: { schedule } }, account);
  host.clock.advance(HOUR_MS + MINUTE_MS);
  await runDueRouting(host.deps, host.clock.now());
  expect((await told()).map(({ data }) => data.changed)).toEqual([['schedule'], ['content', 'schedule']]);
});

async function visit(slug: string, times = 1): Promise<void> {
  for (let count = 0; count < times; count += 1) await host.request(`/r/${slug}`);
}

/** As hosts do it, two of them at once. */
async function look(): Promise<void> {
  host.clock.advance(11_000);
  await Promise.all([tellVisits(host.deps, host.clock.now()), tellVisits(host.deps, host.clock.now())]);
}

test('the first visit and each power of ten is told once, and none from before anybody asked', async () => {
  const old = await host.code(account.id, { name: 'old' });
  await visit(old.slug, 11);
  await make({ events: ['code.first_visit', 'code.milestone'] });
  const code = await host.code(account.id, { name: 'new' });
  const uncounted = await host.code(account.id, { name: 'uncounted', isCounted: false });
  await look();
  await visit(code.slug);
  await visit(uncounted.slug);
  await look();
  await look();
  await visit(code.slug, 8);
  await look();
  await visit(code.slug, 2);
  await visit(old.slug);
  await look();
  const messages = await told();
  expect(messages.map(({ type, data }) => [type, data.code.name, data.milestone])).toEqual([
    ['code.first_visit', 'new', undefined],
    ['code.milestone', 'new', 10],
  ]);
  expect(messages[1].data.code.visits.total).toBe(11);
});

test('without a running subscription visits are not told, also not later', async () => {
  await make({ events: ['code.first_visit'] });
  const code = await host.code(account.id);
  await host.db.orm.execute(
    sql`update subscriptions set access_until = '2026-03-01' where account_id = ${account.id}`,
  );
  await visit(code.slug);
  await look();
  await host.db.orm.execute(
    sql`update subscriptions set access_until = '2028-03-01' where account_id = ${account.id}`,
  );
  await look();
  expect(await told()).toEqual([]);
});

/** As hosts do it that have been running. */
async function lookAt(moment: string): Promise<void> {
  host.clock.set(new Date(Date.parse(moment) - 3 * MINUTE_MS));
  await look();
  host.clock.set(new Date(moment));
  await look();
}

test('the visits of an hour are told once it is over and counted, those of the last hour of a day too', async () => {
  await make({ events: ['visits.hourly'] });
  const [one, two] = [
    await host.code(account.id, { name: 'one' }),
    await host.code(account.id, { name: 'two' }),
  ];
  await visit(one.slug, 2);
  await host.request(`/l/${one.slug}`);
  await lookAt('2026-03-02T23:01:00.000Z');
  expect(await told()).toEqual([]);
  await visit(two.slug);
  host.clock.set(new Date('2026-03-02T23:02:01.000Z'));
  await look();
  await look();
  const [message, ...others] = await told();
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    type: 'visits.hourly',
    timestamp: '2026-03-02T23:00:00.000Z',
    data: {
      code: { id: one.id, name: 'one' },
      hour: '2026-03-02T22:00:00.000Z',
      visits: 3,
      scans: 2,
      clicks: 1,
    },
  });
  host.clock.set(new Date('2026-03-03T00:02:01.000Z'));
  await foldOldDays(host.db, host.clock.now());
  await lookAt('2026-03-03T00:02:01.000Z');
  expect((await told())[1]).toMatchObject({
    data: { code: { name: 'two' }, hour: '2026-03-02T23:00:00.000Z', visits: 1, scans: 1, clicks: 0 },
  });
});

test('after an outage an hour is told when the visits that were kept meanwhile are counted', async () => {
  await make({ events: ['visits.hourly'] });
  await look();
  const { slug } = await host.code(account.id);
  await visit(slug);
  const back = new Date('2026-03-02T23:40:00.000Z');
  host.clock.set(back);
  await look();
  expect(await told()).toEqual([]);
  // From the spool.
  host.clock.set(new Date('2026-03-02T22:58:00.000Z'));
  await visit(slug, 2);
  host.clock.set(new Date(back.getTime() + 2 * MINUTE_MS));
  await look();
  await look();
  expect((await told()).map(({ data }) => [data.hour, data.visits])).toEqual([
    ['2026-03-02T22:00:00.000Z', 3],
  ]);
});

test('an hour that was over when the webhook was made is not told', async () => {
  const code = await host.code(account.id);
  await visit(code.slug);
  host.clock.set(new Date('2026-03-02T23:00:30.000Z'));
  await make({ events: ['visits.hourly'] });
  await look();
  host.clock.set(new Date('2026-03-02T23:02:01.000Z'));
  await look();
  expect(await told()).toEqual([]);
});

test('visits are looked at only while a webhook is told of them', async () => {
  const { id } = await make({ events: ['code.milestone'] });
  await look();
  const left = () => host.db.orm.execute(sql`select from jobs where kind = 'webhook_visits'`);
  expect(await left()).toMatchObject({ rowCount: 1 });
  await call('PATCH', `/${id}`, { events: ['code.created'] });
  await look();
  expect(await left()).toMatchObject({ rowCount: 0 });
});

test('a webhook that wants visits again while nobody else does is told of them', async () => {
  const { id } = await make({ events: ['code.first_visit'] });
  const code = await host.code(account.id);
  await call('PATCH', `/${id}`, { events: ['code.created'] });
  host.clock.advance(11_000);
  const now = host.clock.now();
  let commit = () => {};
  const isToCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let isChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    isChanged = resolve;
  });
  const change = host.db.orm.transaction(async (orm) => {
    await storeWebhook(orm, id, { events: ['code.first_visit'] });
    const webhook = await findWebhook(orm, account.id, id);
    if (webhook) await scheduleVisits(orm, webhook, now);
    isChanged();
    await isToCommit;
  });
  await changed;
  const telling = tellVisits(host.deps, now);
  await Promise.race([telling, expect.poll(() => countWaiting(host.db.orm)).toBe(1)]);
  commit();
  await Promise.all([change, telling]);
  await visit(code.slug);
  await look();
  expect((await told()).map(({ type }) => type)).toEqual(['code.first_visit']);
});

test('a destination that fails is told to everybody whose codes lead there', async () => {
  const other = await host.account();
  const others = webhookCalls(() => ({ host, account: other }));
  await make({ events: ['code.destination_failed'] });
  await others.make({ url: 'https://hooks.program.com/b', events: ['code.destination_failed'] });
  const content = 'https://shop.example.com/gone';
  await host.code(account.id, { name: 'mine', content });
  await host.code(other.id, { name: 'theirs', content });
  await host.code(account.id, { name: 'unwatched', content, isWatched: false });
  receivers.answers[content] = 404;
  for (let looks = 0; looks < 3; looks += 1) {
    await collectDestinations(host.db.orm, host.clock.now());
    await createDestinationCheck(host.deps, async (ms) => host.clock.advance(ms))();
    host.clock.advance(HOUR_MS + MINUTE_MS);
  }
  receivers.received.length = 0;
  await deliver();
  expect(receivers.typesAt(A)).toEqual(['code.destination_failed mine']);
  expect(receivers.typesAt('https://hooks.program.com/b')).toEqual(['code.destination_failed theirs']);
  const { data } = JSON.parse(receivers.at(A)[0]?.body ?? '');
  expect(data.code.destination).toMatchObject({ problem: 'status', status: 404 });
});
