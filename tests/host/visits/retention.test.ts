import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { destroyOldSalts, dropOldVisits } from '#host/visits/count/retention';
import { VisitorSalts } from '#host/visits/count/visitor-salts';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { createTestHost, type TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { readCode } from './stored-visits';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const TODAY = new Date('2026-03-02T10:00:00.000Z');
const daysAgo = (days: number) => new Date(TODAY.getTime() - days * DAY_MS);
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

afterAll(() => host.close());

const read = <Row>(text: string, values: unknown[] = []) => host.db.query<Row>({ name: '', text, values });
const listSaltDays = async () =>
  (await read<{ day: string }>(`select day::text from visit_salts where salt <> '' order by day`)).map(
    ({ day }) => day,
  );

test('nodes compute the same hash of a visitor on one day, and another one the next day', async () => {
  const [one, other] = [new VisitorSalts(host.deps), new VisitorSalts(host.deps)];
  const days = ['2026-03-01', '2026-03-02'];
  const [first, second] = await Promise.all([one.load(days), other.load(days)]);
  const number = first('2026-03-01', '192.0.2.1', 'Browser');
  expect(number).toMatch(/^\d{1,19}$/);
  expect(BigInt(number ?? -1) < 2n ** 63n).toBe(true);
  expect(second('2026-03-01', '192.0.2.1', 'Browser')).toBe(number);
  expect(second('2026-03-02', '192.0.2.1', 'Browser')).not.toBe(number);
  expect(second('2026-03-01', '192.0.2.2', 'Browser')).not.toBe(number);
  expect(second('2026-03-01', '192.0.2.1', 'Another')).not.toBe(number);
});

test('salts of past days are destroyed, and their hashes cannot be computed again', async () => {
  const before = await new VisitorSalts(host.deps).load(['2026-03-01', '2026-03-02']);
  await destroyOldSalts(host.db.orm, TODAY);
  // Today's salt, and those created ahead.
  expect(await listSaltDays()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
  const after = await new VisitorSalts(host.deps).load(['2026-03-01', '2026-03-02']);
  expect(after('2026-03-02', 'a', 'b')).toBe(before('2026-03-02', 'a', 'b'));
  expect(before('2026-03-01', 'a', 'b')).toMatch(/^\d+$/);
  expect(after('2026-03-01', 'a', 'b')).toBe(null);
  await destroyOldSalts(host.db.orm, new Date('2026-03-02T23:59:59.999Z'));
  expect(await listSaltDays()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
  await destroyOldSalts(host.db.orm, new Date('2026-03-03T00:00:00.000Z'));
  expect(await listSaltDays()).toEqual(['2026-03-03', '2026-03-04']);
});

test('a long-running node always has the salts of the next two days', async () => {
  const salts = new VisitorSalts(host.deps);
  await read('truncate visit_salts');
  for (const day of [2, 3, 4, 5, 6]) {
    host.clock.set(new Date(`2026-03-0${day}T10:00:00.000Z`));
    const loadAndList = async () => {
      await salts.load([`2026-03-0${day}`]);
      return (await listSaltDays()).slice(-3);
    };
    await expect.poll(loadAndList).toEqual([day, day + 1, day + 2].map((one) => `2026-03-0${one}`));
  }
  host.clock.set(TODAY);
});

test('a visit waits only for the salt of its own day', async () => {
  let isStuck = false;
  const query: TestHost['db']['query'] = (statement) =>
    isStuck ? new Promise(() => undefined) : host.db.query(statement);
  const salts = new VisitorSalts({ ...host.deps, db: { ...host.db, query } });
  await salts.load(['2026-03-02']);
  isStuck = true;
  host.clock.set(new Date('2026-03-03T10:00:00.000Z'));
  expect((await salts.load(['2026-03-03']))('2026-03-03', 'a', 'b')).toMatch(/^\d+$/);
  host.clock.set(TODAY);
});

test('a visitor who comes back the next day is another one', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id);
  for (const hours of [48, 49, 68, 69]) {
    host.clock.set(new Date(TODAY.getTime() + hours * 3_600_000));
    await host.request(`/r/${code.slug}`);
  }
  host.clock.set(TODAY);
  expect((await readCode(host.db, code.id)).visitors).toEqual([
    { day: '2026-03-04', count: 1 },
    { day: '2026-03-05', count: 1 },
  ]);
});

test('single visits are dropped after 90 days, and their counts stay', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id);
  const dayOf = (days: number) => new Date(daysAgo(days).toISOString().slice(0, 10));
  // The last moment of the day that may not be kept any longer, and the first of the next.
  const times = [daysAgo(91), new Date(dayOf(89).getTime() - 1), dayOf(89), TODAY];
  for (const at of times) {
    host.clock.set(at);
    await host.request(`/r/${code.slug}`);
  }
  host.clock.set(TODAY);
  await dropOldVisits(host.db.orm, TODAY);
  expect(await readCode(host.db, code.id)).toMatchObject({
    raw: [{ count: 2 }],
    hours: [{ count: 4 }],
    totals: [{ scans: 4 }],
  });
});

test('lanes of ended processes are dropped after a year', async () => {
  const [old, fresh] = [randomUUID(), randomUUID()];
  for (const [id, at] of [
    [old, daysAgo(365 + 1 / DAY_MS)],
    [fresh, daysAgo(365)],
  ] as const) {
    await read('insert into visit_lanes (id, batch, at) values ($1, 1, $2)', [id, at]);
  }
  await dropOldVisits(host.db.orm, TODAY);
  const kept = (await read<{ id: string }>('select id from visit_lanes')).map(({ id }) => id);
  expect(kept).toContain(fresh);
  expect(kept).not.toContain(old);
});

test('ids of counted visits are dropped after thirty days', async () => {
  for (const [id, at] of [
    ['old', daysAgo(30 + 1 / DAY_MS)],
    ['kept', daysAgo(30)],
  ] as const) {
    await read('insert into visit_ids (id, at) values ($1, $2)', [id, at]);
  }
  await dropOldVisits(host.db.orm, TODAY);
  expect(await read('select id from visit_ids')).toEqual([{ id: 'kept' }]);
});

test.each(['', 'null', '[]', '{"2026-03-02":{}}', '{"2026-03-02":""}', '{"2026-03-02":"c2hvcnQ="}'])(
  'a node whose file of salts is damaged (%s) makes salts of its own',
  async (damaged) => {
    const hashOf = async () => {
      const folder = mkdtempSync(join(tmpdir(), 'salts-'));
      writeFileSync(join(folder, 'salts.json'), damaged);
      const db = { ...host.db, query: () => Promise.reject(new Error('down')) };
      const salts = new VisitorSalts({ ...host.deps, db, visits: { ...host.deps.visits, folder } });
      const hashVisitor = await salts.loadOffline(['2026-03-02']);
      rmSync(folder, { recursive: true });
      return hashVisitor('2026-03-02', '192.0.2.1', 'a browser');
    };
    const hashes = [await hashOf(), await hashOf()];
    expect(hashes).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
    expect(hashes[0]).not.toBe(hashes[1]);
  },
);

test('every node drops a salt from memory within a minute of its destruction', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const salts = new VisitorSalts(host.deps);
  await salts.load(['2026-02-10']);
  await destroyOldSalts(host.db.orm, TODAY);
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect((await salts.load(['2026-02-10']))('2026-02-10', 'a', 'b')).toBe(null);
});

test('a node drops the salt of each day within a minute of its end, without its database', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let isDown = false;
  const query: TestHost['db']['query'] = (statement) =>
    isDown ? Promise.reject(new Error('connect ECONNREFUSED')) : host.db.query(statement);
  // Without a file of salts of an earlier run.
  const visits = { ...host.deps.visits, folder: join(host.deps.visits.folder, 'a new node') };
  const salts = new VisitorSalts({ ...host.deps, db: { ...host.db, query }, visits });
  const hash = async (day: string) => (await salts.loadOffline([day]))(day, 'a', 'b');
  for (const day of ['2026-03-02', '2026-03-03', '2026-03-04']) await salts.load([day]);
  isDown = true;
  for (const [day, end] of [
    ['2026-03-02', '2026-03-03T00:00:00.000Z'],
    ['2026-03-03', '2026-03-04T00:00:00.000Z'],
  ] as const) {
    vi.advanceTimersByTime(60_000);
    expect(await hash(day)).toMatch(/^\d+$/);
    expect(vi.getTimerCount()).toBe(1);
    host.clock.set(new Date(end));
    vi.advanceTimersByTime(60_000);
    expect(await hash(day)).toBe(null);
  }
  vi.useRealTimers();
  host.clock.set(TODAY);
});

test('a host that counts visits and acts keeps the salts of the days ahead in its file', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const node = await createTestHost();
  const code = await node.code((await node.account()).id);
  await node.request(`/b/${code.slug}`, { method: 'POST' });
  const path = join(node.deps.visits.folder, 'salts.json');
  const keptDays = () => Object.keys(JSON.parse(readFileSync(path, 'utf8')));
  for (const day of [2, 3, 4]) {
    node.clock.set(new Date(`2026-03-0${day}T10:00:00.000Z`));
    const ahead = [day, day + 1, day + 2].map((one) => `2026-03-0${one}`);
    await node.request(`/r/${code.slug}`);
    await expect.poll(keptDays).toEqual(expect.arrayContaining(ahead));
    vi.advanceTimersByTime(60_000);
    expect(keptDays()).toEqual(ahead);
  }
  vi.useRealTimers();
  await node.close();
});

test('a late batch counts as visits, and as visitors only while the salt of its day exists', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id);
  host.clock.set(new Date('2026-02-20T23:00:00.000Z'));
  await host.request(`/r/${code.slug}`);
  const late = visitOf(code.id, '2026-02-20T23:30:00Z', {
    clientIp: '127.0.0.1',
    agent: readAgent(PHONE),
  });
  const record = async (visit: Visit) => {
    const recorder = new VisitRecorder(host.deps);
    await recorder.record(visit);
    await recorder.close();
  };
  await record(late);
  await record({ ...late, clientIp: '192.0.2.9' });
  const visitorsOfDay = async () => (await readCode(host.db, code.id)).visitors;
  expect(await visitorsOfDay()).toEqual([{ day: '2026-02-20', count: 2 }]);
  await destroyOldSalts(host.db.orm, new Date('2026-02-21T00:01:00.000Z'));
  await record(late);
  await record({ ...late, clientIp: '192.0.2.10' });
  expect(await visitorsOfDay()).toEqual([{ day: '2026-02-20', count: 2 }]);
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 5, clicks: 0, others: 0 }]);
  host.clock.set(TODAY);
});
