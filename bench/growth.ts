import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import type { Database } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { describePartitions, makePartitionsOf } from '#host/db/partitions';
import { readCodeVisits } from '#host/statistics/code-visits';
import { readStatistics } from '#host/statistics/statistics';
import { foldOldDays } from '#host/visits/count/fold';
import { dropOldVisits, eraseSingleVisits, eraseVisits, indexOldVisits } from '#host/visits/count/retention';
import { type BenchDatabase, withDatabases } from './databases';
import { addCrowd, dayBefore, KEPT_DAYS } from './growth-data';
import { median, type Row } from './row';
import { makeCodes, makeVisits } from './statistics-data';

/** Database sizes in millions of visits; override them with `BENCH_MILLIONS=1,10`. */
const MILLIONS = (process.env.BENCH_MILLIONS ?? '1,10,30').split(',').map(Number);
const SAMPLE = { codes: 100, visits: 20_000 };
const REPEATS = 21;
const FEW = 3;
const FOLDED_ROWS = 200_000;

/** A database with a given number of visits overall, including a few accounts of equal size. */
interface Size {
  db: Database;
  /** The account whose pages are measured, and one of its codes. */
  account: string;
  code: string;
  /** Accounts to erase. */
  leaving: string[];
}

/**
 * The cost of an account's pages, of dropping a day and of erasing an account as the other visits grow; how
 * fast days are folded; and the size of a row. Takes minutes for every ten million visits.
 */
export function benchGrowth(): Promise<Row[]> {
  return withDatabases(MILLIONS.length, benchSizes);
}

async function benchSizes(databases: BenchDatabase[]): Promise<Row[]> {
  const sizes: Size[] = [];
  for (const [step, database] of databases.entries())
    sizes.push(await makeSize(database, (MILLIONS[step] ?? 0) * 1_000_000));
  const last = sizes.at(-1);
  if (!last) throw new Error('BENCH_MILLIONS names no size');
  try {
    return [
      growthRow({ what: 'statistics of 90 days', bar: 1.3 }, await compare(sizes, REPEATS, queryStatistics)),
      growthRow({ what: 'last visits of a code', bar: 1.3 }, await compare(sizes, REPEATS, queryCode)),
      // Before days are dropped, so that all are searched.
      growthRow({ what: 'erasure of an account', bar: 1.5 }, await compare(sizes, FEW, erase)),
      ...(await retentionRows(sizes)),
      ...(await sizeRows(last.db)),
      await foldingRow(last.db),
    ];
  } finally {
    for (const { db } of sizes) await db.close();
  }
}

async function makeSize(database: BenchDatabase, visits: number): Promise<Size> {
  const db = await database.open();
  await db.migrate();
  const days = Array.from({ length: KEPT_DAYS + 1 }, (_, ago) => dayBefore(ago));
  for (const table of ['visits', 'visitor_days', 'visit_hours']) await makePartitionsOf(db.orm, table, days);
  const year = Array.from({ length: 13 }, (_, month) => dayBefore(month * 30));
  await makePartitionsOf(db.orm, 'day_figures', year);
  await addCrowd(db, visits, KEPT_DAYS);
  const account = await makeSample(db);
  const leaving: string[] = [];
  while (leaving.length < FEW) leaving.push(await makeSample(db));
  await indexPastDays(db);
  await db.orm.execute('vacuum (analyze)');
  const [code] = await readRows<{ id: string }>(
    db.orm,
    sql`select id from codes where account_id = ${account} limit 1`,
  );
  return { db, account, code: code?.id ?? '', leaving };
}

/** Until all are indexed: a day that autovacuum works on is left to the next run. */
async function indexPastDays(db: Database): Promise<void> {
  const today = dayBefore(0);
  for (;;) {
    await indexOldVisits(db.orm, new Date());
    const days = await describePartitions(db.orm, 'visits');
    if (days.every(({ end, isIndexed }) => isIndexed || end === null || end > today)) return;
    await setTimeout(1_000);
  }
}

async function makeSample(db: Database): Promise<string> {
  const accountId = await makeCodes(db, SAMPLE.codes);
  await makeVisits(db, { accountId, visits: SAMPLE.visits });
  return accountId;
}

const PERIOD = { period: 90, code: null, tag: null, timeZone: 'UTC' } as const;

const queryStatistics = ({ db, account }: Size) =>
  readStatistics(db.orm, account, PERIOD, { now: new Date() });
const queryCode = ({ db, account, code }: Size) => readCodeVisits(db.orm, account, code, new Date());

async function erase({ db, leaving }: Size, n: number): Promise<void> {
  const accountId = leaving[n] ?? '';
  await db.orm.transaction((transaction) => eraseVisits(transaction, accountId, new Date()));
  await eraseSingleVisits(db.orm, new Date());
}

const middle = (times: number[]) => median(times, (one) => one);

/** Median milliseconds on each size, alternating, so that other load on the machine affects all equally. */
async function compare(
  sizes: Size[],
  times: number,
  work: (size: Size, n: number) => Promise<unknown>,
): Promise<number[]> {
  const found = sizes.map((): number[] => []);
  for (let n = 0; n < times; n += 1) {
    for (const [step, size] of sizes.entries()) {
      const began = performance.now();
      await work(size, n);
      found[step]?.push(performance.now() - began);
    }
  }
  return found.map(middle);
}

/**
 * How long counting waits while a day is dropped, and how long the drop takes as a whole. The server deletes the files
 * once nothing waits for it any more, and larger ones take a file system longer: hence no limit for the whole.
 */
async function retentionRows(sizes: Size[]): Promise<Row[]> {
  const [waits, totals] = [sizes.map((): number[] => []), sizes.map((): number[] => [])];
  for (let n = 1; n <= REPEATS; n += 1) {
    for (const [step, { db }] of sizes.entries()) {
      const began = performance.now();
      let isDropping = true;
      const waiting = longestWait(db, () => isDropping);
      await dropOldVisits(db.orm, new Date(Date.now() + n * DAY_MS));
      isDropping = false;
      totals[step]?.push(performance.now() - began);
      waits[step]?.push(await waiting);
    }
  }
  return [
    growthRow({ what: 'wait of counting while a day is dropped', bar: 1.5 }, waits.map(middle)),
    growthRow({ what: 'dropping a day, deletion of its files included' }, totals.map(middle)),
  ];
}

/** The longest time in milliseconds that a statement took which locks the table of visits as counting does. */
async function longestWait(db: Database, goesOn: () => boolean): Promise<number> {
  let longest = 0;
  while (goesOn()) {
    const began = performance.now();
    await db.orm.execute(sql`insert into visits (code_id, at) select null, now() where false`);
    longest = Math.max(longest, performance.now() - began);
  }
  return longest;
}

function growthRow({ what, bar }: { what: string; bar?: number }, costs: number[]): Row {
  const growth = (costs.at(-1) ?? 0) / (costs[0] ?? 0);
  return {
    what: `${what} as all visits grow`,
    figure: costs.map((ms, step) => `${MILLIONS[step]} million: ${ms.toFixed(1)} ms`).join(', '),
    bar: bar ? `≤ ${bar} ×` : '–',
    ok: !bar || growth <= bar,
    yardstick: `${growth.toFixed(2)} ×`,
  };
}

/** Yesterday's hours with one visit each: the worst case in rows. */
async function foldingRow(db: Database): Promise<Row> {
  await foldOldDays(db, new Date());
  await db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, device, os, language, count, visitors)
    select gen_random_uuid(), (${dayBefore(1)}::date + n % 24 * interval '1 hour') at time zone 'UTC',
      'scan', 'human', 'phone', 'ios', 'fr', 1, 1
    from generate_series(1, ${FOLDED_ROWS}) as n`);
  const began = performance.now();
  await Promise.all([foldOldDays(db, new Date()), foldOldDays(db, new Date())]);
  const perSecond = (FOLDED_ROWS / (performance.now() - began)) * 1_000;
  const bar = 20_000;
  return {
    what: `hours folded per second by two hosts, each of one visit`,
    figure: `${Math.round(perSecond)}/s`,
    bar: `≥ ${bar}/s`,
    ok: perSecond >= bar,
  };
}

const SIZED = ['visits', 'visitor_days', 'visit_hours', 'day_figures', 'code_marks', 'code_totals', 'codes'];

/** Bytes per row including indexes. There is no limit; docs/production/growth.md uses these figures. */
async function sizeRows({ orm }: Database): Promise<Row[]> {
  const rows: Row[] = [];
  for (const table of SIZED) {
    const [size] = await readRows<{ bytes: string; rows: string }>(
      orm,
      sql`select pg_total_relation_size(${table}::regclass)
          + coalesce((select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = ${table}::regclass), 0) as bytes,
        (select count(*) from ${sql.identifier(table)}) as rows`,
    );
    const [bytes, count] = [Number(size?.bytes ?? 0), Number(size?.rows ?? 0)];
    rows.push({
      what: `room of a row of ${table}`,
      figure: `${(bytes / Math.max(1, count)).toFixed(0)} bytes, ${count} rows`,
      bar: '–',
      ok: true,
    });
  }
  return rows;
}
