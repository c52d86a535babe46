import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { type Orm, readRows } from '#host/db/orm';
import { dropDaysBefore, dropEmptyBefore, listPartitions, makePartitions } from '#host/db/partitions';
import { visitorDays, visits } from '#host/db/visits.tables';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, START, type TestHost } from '../../support/host';
import { emptyFigures } from '../statistics/visit-stream';

const TODAY = START;
const daysAgo = (days: number) => new Date(TODAY.getTime() - days * DAY_MS);

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  await emptyFigures(host.db);
  for (const name of await listPartitions(host.db.orm))
    await host.db.orm.execute(sql.raw(`drop table ${name}`));
  host.clock.set(TODAY);
});
afterAll(() => host.close());

/** The partitions that contain the visits, by day. */
async function placesOf(table: string, day: string): Promise<Record<string, string>> {
  const rows = await readRows<{ day: string; place: string }>(
    host.db.orm,
    sql.raw(`select distinct (${day})::date::text as day, tableoid::regclass::text as place from ${table}`),
  );
  return Object.fromEntries(rows.map(({ day, place }) => [day, place]));
}
const placesOfVisits = () => placesOf('visits', `at at time zone 'UTC'`);

async function visitOn(date: Date): Promise<void> {
  const code = await host.code((await host.account()).id);
  host.clock.set(date);
  expect((await host.request(`/r/${code.slug}`)).status).toBe(302);
  host.clock.set(TODAY);
}

test('partitions are created ahead, once, and visits go into the one of their day', async () => {
  await makePartitions(host.db.orm, TODAY);
  const made = await listPartitions(host.db.orm);
  expect(made.filter((name) => name.startsWith('visits_'))).toEqual([
    'visits_20260302',
    'visits_20260303',
    'visits_20260304',
    'visits_20260305',
  ]);
  expect(made.filter((name) => name.startsWith('day_figures_'))).toEqual([
    'day_figures_202603',
    'day_figures_202604',
  ]);
  await Promise.all([makePartitions(host.db.orm, TODAY), makePartitions(host.db.orm, TODAY)]);
  expect(await listPartitions(host.db.orm)).toEqual(made);
  for (const at of ['2026-03-02T00:00:00.000Z', '2026-03-02T23:59:59.999Z', '2026-03-03T00:00:00.000Z'])
    await visitOn(new Date(at));
  expect(await placesOfVisits()).toEqual({
    '2026-03-02': 'visits_20260302',
    '2026-03-03': 'visits_20260303',
  });
  expect(await placesOf('visitor_days', 'day')).toEqual({
    '2026-03-02': 'visitor_days_20260302',
    '2026-03-03': 'visitor_days_20260303',
  });
});

test('the last days of a year and of a February have their partitions', async () => {
  await makePartitions(host.db.orm, new Date('2027-12-31T23:59:59Z'));
  expect(await listPartitions(host.db.orm, 'visits')).toEqual([
    'visits_20271231',
    'visits_20280101',
    'visits_20280102',
    'visits_20280103',
  ]);
  expect(await listPartitions(host.db.orm, 'day_figures')).toEqual([
    'day_figures_202712',
    'day_figures_202801',
  ]);
  await makePartitions(host.db.orm, new Date('2028-02-28T12:00:00Z'));
  expect(await listPartitions(host.db.orm, 'visits')).toEqual(
    expect.arrayContaining(['visits_20280228', 'visits_20280229', 'visits_20280301', 'visits_20280302']),
  );
});

test('a visit on a day without a partition is counted, and other days get theirs', async () => {
  await makePartitions(host.db.orm, TODAY);
  const farAway = new Date('2031-07-01T12:00:00Z');
  for (const date of [TODAY, farAway, daysAgo(400)]) await visitOn(date);
  expect(await placesOfVisits()).toEqual({
    '2026-03-02': 'visits_20260302',
    '2031-07-01': 'visits_default',
    '2025-01-26': 'visits_default',
  });
  // A day that began without a partition stays without one.
  await makePartitions(host.db.orm, farAway);
  expect(await listPartitions(host.db.orm, 'visits')).toEqual(
    expect.not.arrayContaining(['visits_20310701']),
  );
  await visitOn(new Date('2031-07-02T12:00:00Z'));
  expect(await placesOfVisits()).toMatchObject({
    '2031-07-01': 'visits_default',
    '2031-07-02': 'visits_20310702',
  });
});

test('old data is dropped by partition, and row by row where there is none', async () => {
  for (const days of [5, 4]) await makePartitions(host.db.orm, daysAgo(days));
  for (const days of [30, 5, 4, 1]) await visitOn(daysAgo(days));
  await dropDaysBefore(host.db.orm, 'visits', '2026-02-26');
  expect((await listPartitions(host.db.orm, 'visits')).at(0)).toBe('visits_20260226');
  expect(Object.keys(await placesOfVisits()).sort()).toEqual(['2026-02-26', '2026-03-01']);
  await dropDaysBefore(host.db.orm, 'visits', '2026-02-26');
  expect(Object.keys(await placesOfVisits())).toHaveLength(2);
});

test('empty partitions of past days are dropped, and others kept', async () => {
  await makePartitions(host.db.orm, daysAgo(3));
  await visitOn(daysAgo(2));
  await dropEmptyBefore(host.db.orm, 'visit_hours', '2026-03-02');
  expect(await listPartitions(host.db.orm, 'visit_hours')).toEqual([
    'visit_hours_20260228',
    'visit_hours_20260302',
  ]);
});

test('partitions are neither created nor dropped while the table is locked, and nothing waits for them', async () => {
  const db = await openFresh();
  try {
    await makePartitions(db.orm, daysAgo(5));
    await db.orm.transaction(async (transaction) => {
      // The lock of a long query over all visits.
      await transaction.select().from(visits);
      await dropDaysBefore(db.orm, 'visits', '2026-03-02');
      await makePartitions(db.orm, TODAY);
      expect(await listPartitions(db.orm, 'visits')).toContain('visits_20260225');
    });
    await dropDaysBefore(db.orm, 'visits', '2026-03-02');
    await makePartitions(db.orm, TODAY);
    expect(await listPartitions(db.orm, 'visits')).toEqual([
      'visits_20260302',
      'visits_20260303',
      'visits_20260304',
      'visits_20260305',
    ]);
  } finally {
    await db.close();
  }
});

test('a visit that arrives while the partition of its day is created is kept, and other days get theirs', async () => {
  const db = await openFresh();
  try {
    let making: Promise<void> | undefined;
    await db.orm.transaction(async (transaction) => {
      await transaction.insert(visitorDays).values({ codeId: randomUUID(), day: '2026-03-02', visitor: 1n });
      making = makePartitions(db.orm, TODAY);
      await expect
        .poll(async () => {
          const [row] = await readRows<{ waits: boolean }>(
            db.orm,
            sql`select exists (select from pg_locks where relation = 'visitor_days_default'::regclass and not granted) as waits`,
          );
          return row?.waits;
        })
        .toBe(true);
    });
    await making;
    expect(await listPartitions(db.orm, 'visitor_days')).toEqual([
      'visitor_days_20260303',
      'visitor_days_20260304',
      'visitor_days_20260305',
    ]);
  } finally {
    await db.close();
  }
});

test('a partition that another host drops in between is passed over', async () => {
  const db = await openFresh();
  try {
    await makePartitions(db.orm, daysAgo(3));
    let drops = 0;
    const orm = interceptExecute(db.orm, async (query) => {
      if (!query.includes('to_regclass') || drops > 0) return;
      drops += 1;
      await db.query({ name: '', text: 'drop table visit_hours_20260227', values: [] });
    });
    await dropEmptyBefore(orm, 'visit_hours', '2026-03-02');
    expect(drops).toBe(1);
    expect(await listPartitions(db.orm, 'visit_hours')).toEqual(['visit_hours_20260302']);
  } finally {
    await db.close();
  }
});

/** The same connection, which calls back with the SQL of each query in a transaction once it has a result. */
function interceptExecute(orm: Orm, after: (query: string) => Promise<void>): Orm {
  const transaction: Orm['transaction'] = (work) =>
    orm.transaction((inner) =>
      work(
        new Proxy(inner, {
          get: (target, name) =>
            name === 'execute'
              ? async (query: SQL) => {
                  const result = await target.execute(query);
                  await after(JSON.stringify(query.queryChunks));
                  return result;
                }
              : Reflect.get(target, name),
        }),
      ),
    );
  return new Proxy(orm, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
}
