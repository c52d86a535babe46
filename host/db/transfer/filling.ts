import { sql } from 'drizzle-orm';
import type { Database, Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { makePartitionsOf, partitionColumnOf } from '#host/db/partitions';
import {
  copyRows,
  type Digest,
  fixFormats,
  readDatabase,
  readMigrations,
  readTables,
  type Table,
} from './tables';

/** A refused transfer, with a human-readable reason. */
export class TransferError extends Error {
  override name = 'TransferError';
}

interface Filling {
  tables: Table[];
  /** Rows as `copyRows` passes them on. */
  write(table: Table, rows: string[]): Promise<void>;
}

/**
 * Fills an empty, migrated database in one transaction: all or nothing. `fill` returns the digest that each table must
 * have, which is compared with what is read back. Rejects with a `TransferError` if a table already has rows, or if the
 * digests differ. A table of the previous release may be a view by now.
 */
export async function fillDatabase(
  { orm }: Database,
  fill: (filling: Filling) => Promise<Map<string, Digest>>,
): Promise<Map<string, Digest>> {
  return orm.transaction(async (transaction) => {
    await fixFormats(transaction);
    const tables = await readTables(transaction, ['r', 'p', 'v']);
    // Prevents concurrent writes.
    for (const { name } of tables) {
      await transaction.execute(sql.raw(`lock table ${name} in access exclusive mode`));
    }
    // A host may have started with the empty database, which got an id then.
    if (tables.some(({ name }) => name === 'installation'))
      await transaction.execute(sql`delete from installation`);
    await requireEmpty(transaction, tables);
    const restore = await dropForeignKeys(transaction);
    const expected = await fill({ tables, write: (table, rows) => insertRows(transaction, table, rows) });
    for (const table of tables) await continueCounting(transaction, table);
    await restore();
    for (const table of tables) {
      const digest = expected.get(table.name);
      if (!digest) continue;
      const found = await copyRows(transaction, table);
      if (found.rows === digest.rows && found.sum === digest.sum) continue;
      throw new TransferError(
        `the table ${table.name} has ${found.rows} rows (${found.sum}) instead of ${digest.rows} (${digest.sum}); nothing was kept`,
      );
    }
    for (const table of tables) await forgetTransactions(transaction, table);
    return expected;
  });
}

/**
 * Copies a database into an empty one, and leaves the source unchanged. Both must have been migrated by this release;
 * rejects with a `TransferError` if not, if the target is not empty, or if a table differs afterwards.
 */
export async function moveDatabase(from: Database, to: Database): Promise<Map<string, Digest>> {
  const expected = await readMigrations(to.orm);
  return fillDatabase(to, ({ write }) =>
    readDatabase(
      from,
      async (migrations) => {
        if (migrations.join() === expected.join()) return;
        throw new TransferError(
          'the databases are of different releases: start this release once with the one to be moved',
        );
      },
      async (table) => (rows) => write(table, rows),
    ),
  );
}

async function requireEmpty(transaction: Orm, tables: Table[]): Promise<void> {
  const used: string[] = [];
  for (const { name } of tables) {
    const [row] = await readRows<{ used: boolean }>(
      transaction,
      sql.raw(`select exists (select from ${name}) as used`),
    );
    if (row?.used) used.push(name);
  }
  if (used.length === 0) return;
  throw new TransferError(
    `the database is not empty: ${used.join(', ')}. Create another one; this one was left as it is`,
  );
}

/** Columns that the rows lack, as those of an earlier release may, get their defaults and are not compared either. */
async function insertRows(transaction: Orm, table: Table, rows: string[]): Promise<void> {
  const { name } = table;
  const known = Object.keys(JSON.parse(rows[0] ?? '{}'));
  table.columns = table.columns.filter((column) => known.includes(column.replaceAll('"', '')));
  const column = partitionColumnOf(name);
  if (column) await makePartitionsOf(transaction, name, daysIn(rows, column));
  const list = table.columns.join(', ');
  await transaction.execute(sql`
    insert into ${sql.raw(`${name} (${list})`)} overriding system value
    select ${sql.raw(`${list} from json_populate_recordset(null::${name}`)}, ${`[${rows.join(',')}]`}::json)`);
}

/** UTC days of a column: all values are written in UTC. */
function daysIn(rows: string[], column: string): Set<string> {
  return new Set(rows.map((row) => String(JSON.parse(row)[column]).slice(0, 10)));
}

/** Drops the foreign keys, because tables are filled in any order. The returned function restores and checks them. */
async function dropForeignKeys(transaction: Orm): Promise<() => Promise<void>> {
  const keys = await readRows<{ table: string; name: string; definition: string }>(
    transaction,
    sql`
    select conrelid::regclass::text as "table", quote_ident(conname) as name,
      pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by oid`,
  );
  for (const { table, name } of keys) {
    await transaction.execute(sql.raw(`alter table ${table} drop constraint ${name}`));
  }
  return async () => {
    for (const { table, name, definition } of keys) {
      await transaction.execute(sql.raw(`alter table ${table} add constraint ${name} ${definition}`));
    }
  };
}

/**
 * Numbers of transactions say nothing on another server: with those of the old one, every row would seem to have been
 * counted just now until the new one has had as many.
 */
async function forgetTransactions(transaction: Orm, { name, columns }: Table): Promise<void> {
  if (columns.includes('counted_in'))
    await transaction.execute(sql.raw(`update ${name} set counted_in = 0 where counted_in <> 0`));
}

async function continueCounting(transaction: Orm, { name, counted }: Table): Promise<void> {
  for (const column of counted) {
    await transaction.execute(
      sql.raw(
        `select setval(pg_get_serial_sequence('${name}', '${column}'), coalesce(max(${column}), 1), max(${column}) is not null) from ${name}`,
      ),
    );
  }
}
