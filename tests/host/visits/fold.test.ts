import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { readRows } from '#host/db/orm';
import { listPartitions, makePartitions } from '#host/db/partitions';
import type { FoldedDay } from '#host/db/statistics.tables';
import { foldOldDays } from '#host/visits/count/fold';
import { createTestHost, START, type TestHost } from '../../support/host';
import { emptyFigures } from '../statistics/visit-stream';

const NEXT_DAY = new Date(START.getTime() + DAY_MS);
const CODES = 40;
const HOURS = 100;
const ALL = CODES * HOURS * 3;

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
  await makePartitions(host.db.orm, new Date(START.getTime() - DAY_MS));
});
beforeEach(() => emptyFigures(host.db));
afterAll(() => host.close());

/** Inserts hours of codes around midnight, on days with and without partitions. */
const fill = () =>
  host.db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, count, visitors)
    select md5(code::text)::uuid, ${START}::timestamptz + (hour - ${HOURS} + 14) * interval '1 hour', 'scan', 'human', 3, 1
    from generate_series(1, ${CODES}) as code, generate_series(0, ${HOURS - 1}) as hour`);
const countOf = async (table: string, sum = 'count(*)') =>
  (
    await readRows<{ sum: number }>(
      host.db.orm,
      sql.raw(`select coalesce(${sum}, 0)::int as sum from ${table}`),
    )
  )[0]?.sum;

async function countFolded(): Promise<number> {
  const rows = await readRows<{ figures: string }>(host.db.orm, sql`select figures from day_figures`);
  const scans = rows.flatMap(({ figures }) =>
    Object.values((JSON.parse(figures) as FoldedDay).hours ?? {}).map(([count]) => count),
  );
  return scans.reduce((sum, count) => sum + count, 0);
}

test('hosts that fold concurrently fold every hour once, and leave today alone', async () => {
  await fill();
  await Promise.all([1, 2, 3].map(() => foldOldDays(host.db, START)));
  const today = await countOf(`visit_hours where hour >= '2026-03-02T00:00:00Z'`, 'sum(count)');
  expect(today).toBe(CODES * 24 * 3);
  expect(await countOf('visit_hours', 'sum(count)')).toBe(today);
  expect(await countFolded()).toBe(ALL - (today ?? 0));
  await foldOldDays(host.db, NEXT_DAY);
  expect([await countOf('visit_hours'), await countFolded()]).toEqual([0, ALL]);
  const [partition] = await listPartitions(host.db.orm, 'visit_hours');
  expect(partition).toBe('visit_hours_20260303');
});

test('folded days have no spaces, which every statistic would read', async () => {
  await fill();
  await foldOldDays(host.db, NEXT_DAY);
  expect(await countOf('day_figures')).toBeGreaterThan(0);
  expect(await countOf(`day_figures where figures like '% %'`)).toBe(0);
});

test('a stopping host leaves the rest to the next run', async () => {
  await fill();
  await foldOldDays(host.db, NEXT_DAY, AbortSignal.abort());
  expect(await countOf('visit_hours', 'sum(count)')).toBe(ALL);
  await foldOldDays(host.db, NEXT_DAY);
  expect(await countFolded()).toBe(ALL);
});

test('rows that another host is folding are skipped, not waited for', async () => {
  await fill();
  const theirs = sql`md5('7')::uuid`;
  await host.db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`select from visit_hours where code_id = ${theirs} for update`);
    await foldOldDays(host.db, NEXT_DAY);
  });
  expect(await countOf('visit_hours', 'sum(count)')).toBe(HOURS * 3);
  expect(await countFolded()).toBe(ALL - HOURS * 3);
  await foldOldDays(host.db, NEXT_DAY);
  expect(await countFolded()).toBe(ALL);
});

test('a day of a code that is folded in several parts adds up', async () => {
  const code = randomUUID();
  await host.db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, language, count)
    select ${code}, '2026-03-01T10:00:00Z', 'scan', 'human', n::text, 1 from generate_series(1, 12000) as n`);
  await foldOldDays(host.db, START);
  expect([await countOf('visit_hours'), await countFolded()]).toEqual([0, 12_000]);
});
