import { sql } from 'drizzle-orm';
import { DAY_MS, utcDay } from '#contract/time';
import type { Orm } from './client';
import { hasCode, LOCK_NOT_AVAILABLE, readRows } from './orm';

/**
 * Tables that grow with every visit, each with the column it is partitioned by and the period of a partition (in UTC).
 * Every table has a default partition, such as `visits_default`, so that counting never waits for a new one.
 */
const PARTITIONED = {
  visits: { column: 'at', unit: 'day' },
  visitor_days: { column: 'day', unit: 'day' },
  visit_hours: { column: 'hour', unit: 'day' },
  account_hours: { column: 'hour', unit: 'day' },
  account_facets: { column: 'day', unit: 'day' },
  account_visitors: { column: 'day', unit: 'day' },
  day_figures: { column: 'day', unit: 'month' },
} as const;

type PartitionedTable = keyof typeof PARTITIONED;

interface Partition {
  table: PartitionedTable;
  name: string;
  /** First day, and the one after the last. */
  from: string;
  to: string;
}

/** All hosts may be down for this long, and visits that waited still find their partitions. */
const AHEAD = { day: 3, month: 1 };
/** Counting has to wait this long at most; work on a partition gives up its lock after this time and is retried. */
const LOCK_MS = 200;
const LOCK_TRIES = 3;
/** On attaching a partition: a row of its day was inserted into the default one after the check. */
const CHECK_VIOLATION = '23514';
/** An arbitrary number other than those of migrations and tests: one host at a time creates partitions. */
const PARTITION_LOCK = 4_830_112;
const OWN_INDEX = '_own';
/** Rows deleted per statement: few enough that visits wait no longer than for a page. */
const BATCH_ROWS = 5_000;

/**
 * Creates the missing partitions of today and the following days. A day that already has rows in the default partition
 * stays there: moving them would block counting.
 */
export async function makePartitions(orm: Orm, now: Date): Promise<void> {
  const existing = new Set(await listPartitions(orm));
  for (const table of Object.keys(PARTITIONED) as PartitionedTable[]) {
    const missing = partitionsAhead(table, now).filter(({ name }) => !existing.has(name));
    if (missing.length === 0) continue;
    await underShortLock(orm, async (transaction) => {
      for (const partition of missing) await makeEmptyPartition(transaction, partition);
    });
  }
}

/** Creates the partitions of these days (`2026-03-02…`) for a table that is still empty, if it is partitioned. */
export async function makePartitionsOf(orm: Orm, table: string, days: Iterable<string>): Promise<void> {
  if (!isPartitioned(table)) return;
  const partitions = new Map([...days].map((day) => [partitionAt(table, day).name, partitionAt(table, day)]));
  for (const { name, from, to } of partitions.values()) {
    await orm.execute(
      sql.raw(
        `create table if not exists ${name} partition of ${table} for values ${boundsOf({ from, to })}`,
      ),
    );
  }
}

/** The column by which a table is partitioned; null if it is not. */
export function partitionColumnOf(table: string): string | null {
  return isPartitioned(table) ? PARTITIONED[table].column : null;
}

/**
 * Drops the data of a table from before this day (`2026-03-02`, UTC): whole partitions, then rows of the default one in
 * batches.
 */
export async function dropDaysBefore(orm: Orm, table: PartitionedTable, day: string): Promise<void> {
  for (const name of await listPartitions(orm, table)) {
    if (endOf(name) > day) continue;
    const isDone = await underShortLock(orm, async (transaction) => {
      await transaction.execute(sql.raw(`drop table if exists ${name}`));
    });
    if (!isDone) break;
  }
  await deleteBefore(orm, `${table}_default`, PARTITIONED[table].column, day);
}

/** Drops empty partitions of earlier days. */
export async function dropEmptyBefore(orm: Orm, table: PartitionedTable, day: string): Promise<void> {
  for (const name of await listPartitions(orm, table)) {
    if (endOf(name) > day) continue;
    const isDone = await underShortLock(orm, async (transaction) => {
      if (!(await isThere(transaction, name)) || !(await isEmpty(transaction, name))) return;
      await transaction.execute(sql.raw(`lock table ${table} in access exclusive mode`));
      if (await isEmpty(transaction, name)) await transaction.execute(sql.raw(`drop table ${name}`));
    });
    if (!isDone) break;
  }
}

/** Deletes rows from before this day (UTC) of an unpartitioned table or of a partition. */
export async function deleteBefore(orm: Orm, table: string, column: string, day: string): Promise<void> {
  const name = sql.identifier(table);
  const isOld = sql`${sql.identifier(column)} < ${`${day} 00:00:00+00`}`;
  let dropped = BATCH_ROWS;
  while (dropped === BATCH_ROWS) {
    const [row] = await readRows<{ dropped: number }>(
      orm,
      sql`with old as (
        delete from ${name} where ${isOld} and ctid = any (array(
          select ctid from ${name} where ${isOld} limit ${BATCH_ROWS}
        )) returning 1
      ) select count(*)::int as dropped from old`,
    );
    dropped = row?.dropped ?? 0;
  }
}

interface PartitionInfo {
  /** Name of a partition, or of the default one. */
  name: string;
  pages: number;
  /** Whether it has the additional index, see `indexPartition`. */
  isIndexed: boolean;
  /** The day after its last one; null for the default partition. */
  end: string | null;
}

/** The partitions of a table, or the table itself, newest first. */
export async function describePartitions(orm: Orm, table: PartitionedTable): Promise<PartitionInfo[]> {
  const rows = await readRows<Omit<PartitionInfo, 'end'>>(
    orm,
    sql`select relname as name, (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages,
      to_regclass(relname || ${OWN_INDEX}) is not null as "isIndexed"
    from pg_inherits join pg_class on oid = inhrelid where inhparent = ${table}::regclass order by relname desc`,
  );
  return rows.map((row) => ({ ...row, end: row.name === `${table}_default` ? null : endOf(row.name) }));
}

/**
 * Adds an index to a single partition, for columns that are only queried once no more visits are inserted. `keys` are
 * the columns, in parentheses, and any condition.
 */
export async function indexPartition(orm: Orm, name: string, keys: string): Promise<void> {
  await underShortLock(orm, async (transaction) => {
    if (!(await isThere(transaction, name))) return;
    await transaction.execute(sql.raw(`create index if not exists ${name}${OWN_INDEX} on ${name} ${keys}`));
    await transaction.execute(sql.raw(`analyze ${name}`));
  });
}

/** Names of the partitions of all tables, or of one, without the default ones; oldest first. */
export async function listPartitions(orm: Orm, table?: PartitionedTable): Promise<string[]> {
  const rows = await readRows<{ name: string; parent: string }>(
    orm,
    sql`select child.relname as name, parent.relname as parent
    from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
    where parent.relkind = 'p' and parent.relnamespace = 'public'::regnamespace order by 1`,
  );
  return rows
    .filter(({ name, parent }) => /_\d{6,8}$/.test(name) && (!table || parent === table))
    .map(({ name }) => name);
}

async function makeEmptyPartition(orm: Orm, { table, name, from, to }: Partition): Promise<void> {
  const column = sql.identifier(PARTITIONED[table].column);
  const [found] = await readRows<{ isThere: boolean; isUsed: boolean }>(
    orm,
    sql`select to_regclass(${name}) is not null as "isThere", exists (
      select from ${sql.identifier(`${table}_default`)}
      where ${column} >= ${`${from} 00:00:00+00`} and ${column} < ${`${to} 00:00:00+00`}
    ) as "isUsed"`,
  );
  if (found?.isThere || found?.isUsed) return;
  // Created separately and attached, because creating it as a partition would block readers of all others.
  const like = 'including defaults including constraints including indexes';
  await orm.execute(sql.raw(`create table ${name} (like ${table} ${like})`));
  await orm.execute(
    sql.raw(`alter table ${table} attach partition ${name} for values ${boundsOf({ from, to })}`),
  );
}

async function isThere(orm: Orm, name: string): Promise<boolean> {
  const [row] = await readRows<{ found: boolean }>(
    orm,
    sql`select to_regclass(${name}) is not null as found`,
  );
  return row?.found === true;
}

async function isEmpty(orm: Orm, partition: string): Promise<boolean> {
  const [row] = await readRows<{ found: boolean }>(
    orm,
    sql`select exists (select from ${sql.identifier(partition)}) as found`,
  );
  return row?.found === false;
}

/**
 * Runs work that needs a lock which visits wait for, in a transaction. Returns false if it did not get the lock soon:
 * then the work is left to the next run. Does nothing if another host is already working on partitions.
 */
async function underShortLock(orm: Orm, work: (orm: Orm) => Promise<void>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await orm.transaction(async (transaction) => {
        await transaction.execute(sql.raw(`set local lock_timeout = '${LOCK_MS}ms'`));
        const [row] = await readRows<{ locked: boolean }>(
          transaction,
          sql`select pg_try_advisory_xact_lock(${PARTITION_LOCK}) as locked`,
        );
        if (row?.locked) await work(transaction);
      });
      return true;
    } catch (error) {
      // A partition that another host has just dropped can still seem to be there in an older transaction.
      const isTransient =
        hasCode(error, LOCK_NOT_AVAILABLE) || hasCode(error, CHECK_VIOLATION) || isGone(error);
      if (!isTransient) throw error;
      if (attempt === LOCK_TRIES) return false;
    }
  }
}

function isPartitioned(table: string): table is PartitionedTable {
  return Object.hasOwn(PARTITIONED, table);
}

function partitionsAhead(table: PartitionedTable, now: Date): Partition[] {
  const { unit } = PARTITIONED[table];
  const first = Date.parse(partitionAt(table, utcDay(now)).from);
  return Array.from({ length: AHEAD[unit] + 1 }, (_, ahead) =>
    partitionAt(table, addUnits(first, unit, ahead)),
  );
}

/** The name of the partition for a day. */
function partitionAt(table: PartitionedTable, day: string): Partition {
  const { unit } = PARTITIONED[table];
  const from = unit === 'day' ? day : `${day.slice(0, 7)}-01`;
  const length = unit === 'day' ? 10 : 7;
  const name = `${table}_${from.slice(0, length).replaceAll('-', '')}`;
  return { table, name, from, to: addUnits(Date.parse(from), unit, 1) };
}

/** The day after the last day of a partition. */
function endOf(name: string): string {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})?$/.exec(name) ?? [];
  return addUnits(Date.parse(`${year}-${month}-${day ?? '01'}`), day ? 'day' : 'month', 1);
}

function addUnits(at: number, unit: 'day' | 'month', count: number): string {
  if (unit === 'day') return utcDay(at + count * DAY_MS);
  const first = new Date(at);
  return utcDay(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + count));
}

function boundsOf({ from, to }: Pick<Partition, 'from' | 'to'>): string {
  return `from ('${from} 00:00:00+00') to ('${to} 00:00:00+00')`;
}

/** Whether a statement failed because a partition was dropped in the meantime. */
export function isGone(error: unknown): boolean {
  return hasCode(error, '42P01');
}
