import { sql } from 'drizzle-orm';
import type { Database, Orm } from '#host/db/client';
import { makePartitionsOf, partitionColumnOf } from '#host/db/partitions';
import { readRows } from '#host/db/rows';
import {
  copyRows,
  type Digest,
  fixFormats,
  readDatabase,
  readMigrations,
  readTables,
  type Table,
} from './tables';

/** Why a transfer was refused, for people to read. */
export class TransferError extends Error {
  override name = 'TransferError';
}

interface Filling {
  tables: Table[];
  /** Rows as `copyRows` hands them over. */
  write(table: Table, rows: string[]): Promise<void>;
}

/**
 * Fills an empty, migrated database in one transaction: either everything is in it afterwards, or nothing. `fill`
 * answers the digest that each table must have; what is read back has to be the same. Rejects with a `TransferError`
 * where a table has rows already or where they differ.
 */
export async function fillDatabase(
  { orm }: Database,
  fill: (filling: Filling) => Promise<Map<string, Digest>>,
): Promise<Map<string, Digest>> {
  return orm.transaction(async (transaction) => {
    await fixFormats(transaction);
    const tables = await readTables(transaction);
    // Nobody writes meanwhile.
    for (const { name } of tables) {
      await transaction.execute(sql.raw(`lock table ${name} in access exclusive mode`));
    }
    await requireEmpty(transaction, tables);
    const restore = await dropForeignKeys(transaction);
    const expected = await fill({ tables, write: (table, rows) => insertRows(transaction, table, rows) });
    for (const table of tables) await continueCounting(transaction, table);
    await restore();
    for (const table of tables) {
      const found = await copyRows(transaction, table);
      const digest = expected.get(table.name) ?? { rows: 0, sum: '0'.repeat(16) };
      if (found.rows === digest.rows && found.sum === digest.sum) continue;
      throw new TransferError(
        `the table ${table.name} has ${found.rows} rows (${found.sum}) instead of ${digest.rows} (${digest.sum}); nothing was kept`,
      );
    }
    return expected;
  });
}

/**
 * Copies a database into an empty one, and leaves it as it is. Both are to be migrated by this release; rejects with a
 * `TransferError` where they are not, where the other is not empty, or where a table differs afterwards.
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

async function insertRows(transaction: Orm, { name, columns }: Table, rows: string[]): Promise<void> {
  const column = partitionColumnOf(name);
  if (column) await makePartitionsOf(transaction, name, daysIn(rows, column));
  const list = columns.join(', ');
  await transaction.execute(sql`
    insert into ${sql.raw(`${name} (${list})`)} overriding system value
    select ${sql.raw(`${list} from json_populate_recordset(null::${name}`)}, ${`[${rows.join(',')}]`}::json)`);
}

/** UTC days of a column: all values are written in UTC. */
function daysIn(rows: string[], column: string): Set<string> {
  return new Set(rows.map((row) => String(JSON.parse(row)[column]).slice(0, 10)));
}

/** Rows arrive table by table in any order. The function answered puts the keys back, which checks all rows. */
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

async function continueCounting(transaction: Orm, { name, counted }: Table): Promise<void> {
  for (const column of counted) {
    await transaction.execute(
      sql.raw(
        `select setval(pg_get_serial_sequence('${name}', '${column}'), coalesce(max(${column}), 1), max(${column}) is not null) from ${name}`,
      ),
    );
  }
}
