import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { destroyOldSalts, dropOldVisits } from '#host/visits/retention';
import { createVisitors } from '#host/visits/visitors';
import { createTestHost, type TestHost } from '../../support/host';
import { readCode } from './stored-visits';

const DAY_MS = 24 * 3_600_000;
const TODAY = new Date('2026-03-02T10:00:00.000Z');
const daysAgo = (days: number) => new Date(TODAY.getTime() - days * DAY_MS);
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

afterAll(() => host.close());

const read = <Row>(text: string, values: unknown[] = []) => host.db.query<Row>({ name: '', text, values });
const listSaltDays = async () =>
  (await read<{ day: string }>('select day::text from visit_salts order by day')).map(({ day }) => day);

test('nodes number a visitor alike on one day, and otherwise the day after', async () => {
  const [one, other] = [createVisitors(host.deps), createVisitors(host.deps)];
  const days = ['2026-03-01', '2026-03-02'];
  const [first, second] = await Promise.all([one.onDays(days), other.onDays(days)]);
  const number = first('2026-03-01', '192.0.2.1', 'Browser');
  expect(number).toMatch(/^\d{1,19}$/);
  expect(BigInt(number) < 2n ** 63n).toBe(true);
  expect(second('2026-03-01', '192.0.2.1', 'Browser')).toBe(number);
  expect(second('2026-03-02', '192.0.2.1', 'Browser')).not.toBe(number);
  expect(second('2026-03-01', '192.0.2.2', 'Browser')).not.toBe(number);
  expect(second('2026-03-01', '192.0.2.1', 'Another')).not.toBe(number);
});

test('salts of past days are destroyed, and what they keyed cannot be made again', async () => {
  const before = await createVisitors(host.deps).onDays(['2026-03-01', '2026-03-02']);
  await destroyOldSalts(host.db.orm, TODAY);
  expect(await listSaltDays()).toEqual(['2026-03-02']);
  const after = await createVisitors(host.deps).onDays(['2026-03-01', '2026-03-02']);
  expect(after('2026-03-02', 'a', 'b')).toBe(before('2026-03-02', 'a', 'b'));
  expect(after('2026-03-01', 'a', 'b')).not.toBe(before('2026-03-01', 'a', 'b'));
  await destroyOldSalts(host.db.orm, new Date('2026-03-02T23:59:59.999Z'));
  expect(await listSaltDays()).toEqual(['2026-03-02']);
  await destroyOldSalts(host.db.orm, new Date('2026-03-03T00:00:00.000Z'));
  expect(await listSaltDays()).toEqual([]);
});

test('a visitor who comes back the next day is another one', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id);
  for (const hours of [0, 1, 20, 21]) {
    host.clock.set(new Date(TODAY.getTime() + hours * 3_600_000));
    await host.request(`/r/${code.slug}`);
  }
  host.clock.set(TODAY);
  expect((await readCode(host.db, code.id)).visitors).toEqual([
    { day: '2026-03-02', count: 1 },
    { day: '2026-03-03', count: 1 },
  ]);
});

test('single visits are dropped after 90 days and their counts stay', async () => {
  const owner = await host.account();
  const code = await host.code(owner.id);
  for (const days of [91, 89, 0]) {
    host.clock.set(daysAgo(days));
    await host.request(`/r/${code.slug}`);
  }
  host.clock.set(TODAY);
  await dropOldVisits(host.db.orm, TODAY);
  expect(await readCode(host.db, code.id)).toMatchObject({
    raw: [{ count: 2 }],
    hours: [{ count: 3 }],
    totals: [{ scans: 3 }],
  });
});

test('marks of writers that are gone are dropped after a week', async () => {
  const [old, fresh] = [randomUUID(), randomUUID()];
  for (const [id, at] of [
    [old, daysAgo(8)],
    [fresh, daysAgo(6)],
  ] as const) {
    await read('insert into visit_lanes (id, batch, at) values ($1, 1, $2)', [id, at]);
  }
  await dropOldVisits(host.db.orm, TODAY);
  const kept = (await read<{ id: string }>('select id from visit_lanes')).map(({ id }) => id);
  expect(kept).toContain(fresh);
  expect(kept).not.toContain(old);
});
