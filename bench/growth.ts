import { sql } from 'drizzle-orm';
import type { Database } from '#host/db/client';
import { makePartitionsOf } from '#host/db/partitions';
import { readRows } from '#host/db/rows';
import { readCodeVisits } from '#host/statistics/code-visits.store';
import { readStatistics } from '#host/statistics/statistics';
import { foldOldDays } from '#host/visits/fold';
import { dropOldVisits, eraseSingleVisits, eraseVisits, indexOldVisits } from '#host/visits/retention';
import { type Engine, onLargestEngine } from './engines';
import { addCrowd, DAY_MS, dayBefore, KEPT_DAYS } from './growth-data';
import type { Row } from './row';
import { makeCodes, makeVisits } from './statistics-data';

/** Millions of visits in the database; `BENCH_MILLIONS=1,10` measures these. */
const MILLIONS = (process.env.BENCH_MILLIONS ?? '1,10,30').split(',').map(Number);
const SAMPLE = { codes: 100, visits: 20_000 };
const REPEATS = 21;
const FEW = 3;
const FOLDED_ROWS = 200_000;

interface Measured {
  statistics: number;
  code: number;
  retention: number;
  erasure: number;
}

/**
 * What one account's pages, the end of a day and an erased account cost, as the visits of all others grow around them; how
 * fast days are folded; and how much room a row takes. Takes minutes for every ten million visits.
 */
export function benchGrowth(): Promise<Row[]> {
  return onLargestEngine(benchEngine);
}

async function benchEngine(engine: Engine): Promise<Row[]> {
  const db = await engine.open();
  await db.migrate();
  try {
    const days = Array.from({ length: KEPT_DAYS + 1 }, (_, ago) => dayBefore(ago));
    for (const table of ['visits', 'visitor_days', 'visit_hours'])
      await makePartitionsOf(db.orm, table, days);
    const year = Array.from({ length: 13 }, (_, month) => dayBefore(month * 30));
    await makePartitionsOf(db.orm, 'day_figures', year);
    const measured: Measured[] = [];
    let oldest = KEPT_DAYS;
    for (const [step, millions] of MILLIONS.entries()) {
      await addCrowd(db, (millions - (MILLIONS[step - 1] ?? 0)) * 1_000_000, oldest);
      const accounts: string[] = [];
      for (let made = 0; made <= FEW; made += 1) accounts.push(await makeSample(db));
      await indexOldVisits(db.orm, new Date());
      await db.orm.execute('vacuum (analyze)');
      measured.push(await measure(db, accounts, oldest));
      oldest -= FEW;
      process.stderr.write(`${millions} million: ${JSON.stringify(measured.at(-1))}\n`);
    }
    return [
      growthRow(engine, { what: 'statistics of 90 days', bar: 1.3 }, measured, 'statistics'),
      growthRow(engine, { what: 'last visits of a code', bar: 1.3 }, measured, 'code'),
      growthRow(engine, { what: 'retention of a day', bar: 1.5 }, measured, 'retention'),
      growthRow(engine, { what: 'erasure of an account', bar: 1.5 }, measured, 'erasure'),
      await foldingRow(engine, db),
      ...(await sizeRows(engine, db)),
    ];
  } finally {
    await db.close();
  }
}

async function makeSample(db: Database): Promise<string> {
  const accountId = await makeCodes(db, SAMPLE.codes);
  await makeVisits(db, { accountId, visits: SAMPLE.visits });
  return accountId;
}

async function measure(db: Database, [asked = '', ...leaving]: string[], oldest: number): Promise<Measured> {
  const { orm } = db;
  const now = new Date();
  const [code] = await readRows<{ id: string }>(
    orm,
    sql`select id from codes where account_id = ${asked} limit 1`,
  );
  const period = { period: 90, code: null, tag: null, timeZone: 'UTC' } as const;
  return {
    statistics: await middle(REPEATS, () => readStatistics(orm, asked, period, now)),
    code: await middle(REPEATS, () => readCodeVisits(orm, asked, code?.id ?? '', now)),
    // Each time one day more is too old.
    retention: await middle(FEW, (n) =>
      dropOldVisits(orm, new Date(now.getTime() + (n + KEPT_DAYS + 1 - oldest) * DAY_MS)),
    ),
    erasure: await middle(FEW, async (n) => {
      const accountId = leaving[n] ?? '';
      await orm.transaction((transaction) => eraseVisits(transaction, accountId, now));
      await eraseSingleVisits(orm);
    }),
  };
}

/** Milliseconds, the middle of many. */
async function middle(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    await work(n);
    found.push(performance.now() - began);
  }
  return found.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.POSITIVE_INFINITY;
}

function growthRow(
  engine: Engine,
  { what, bar }: { what: string; bar: number },
  measured: Measured[],
  of: keyof Measured,
): Row {
  const costs = measured.map((one) => one[of]);
  const growth = (costs.at(-1) ?? 0) / (costs[0] ?? 0);
  return {
    what: `${what} as all visits grow (${engine.name})`,
    figure: costs.map((ms, step) => `${MILLIONS[step]} million: ${ms.toFixed(1)} ms`).join(', '),
    bar: `≤ ${bar} ×`,
    ok: growth <= bar,
    yardstick: `${growth.toFixed(2)} ×`,
  };
}

/** Hours of yesterday, each of one visit: as many rows as there can be. */
async function foldingRow(engine: Engine, db: Database): Promise<Row> {
  await foldOldDays(db, new Date());
  await db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, device, os, language, count, visitors)
    select gen_random_uuid(), (${dayBefore(1)}::date + n % 24 * interval '1 hour') at time zone 'UTC',
      'scan', 'human', 'phone', 'ios', 'fr', 1, 1
    from generate_series(1, ${FOLDED_ROWS}) as n`);
  const began = performance.now();
  await Promise.all([foldOldDays(db, new Date()), foldOldDays(db, new Date())]);
  const perSecond = (FOLDED_ROWS / (performance.now() - began)) * 1_000;
  const bar = db.engine === 'postgres' ? 20_000 : 2_000;
  return {
    what: `hours folded per second by two hosts, each of one visit (${engine.name})`,
    figure: `${Math.round(perSecond)}/s`,
    bar: `≥ ${bar}/s`,
    ok: perSecond >= bar,
  };
}

const SIZED = ['visits', 'visitor_days', 'visit_hours', 'day_figures', 'code_marks', 'code_totals', 'codes'];

/** With indexes. No bar: what docs/production/growth.md computes with. */
async function sizeRows(engine: Engine, { orm }: Database): Promise<Row[]> {
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
      what: `room of a row of ${table} (${engine.name})`,
      figure: `${(bytes / Math.max(1, count)).toFixed(0)} bytes, ${count} rows`,
      bar: '–',
      ok: true,
    });
  }
  return rows;
}
