import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database, Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';

export interface Table {
  /** Like the columns, an SQL identifier, quoted if necessary. */
  name: string;
  columns: string[];
  /** Columns with a sequence. */
  counted: string[];
  holdsFiles: boolean;
}

/** The number of rows of a table, and the order-independent sum of their SHA-256 digests. */
export interface Digest {
  rows: number;
  sum: string;
}

const SUMS_END = 1n << 64n;
const BATCH = 1_000;
/** Few, because rows with pictures have up to some hundred kilobytes. */
const FILES_BATCH = 20;

/** All tables of the product in alphabetical order, of these kinds; a partitioned one counts as one. */
export async function readTables(orm: Orm, kinds = ['r', 'p']): Promise<Table[]> {
  return readRows<Table>(
    orm,
    sql`
    select quote_ident(c.relname) as name,
      array_agg(quote_ident(a.attname) order by a.attnum) as columns,
      coalesce(array_agg(quote_ident(a.attname)) filter
        (where pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null), '{}') as counted,
      bool_or(a.atttypid = 'bytea'::regtype) as "holdsFiles"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = any (${sql.param(kinds)}) and not c.relispartition
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`,
  );
}

async function listPartitioned(orm: Orm): Promise<string[]> {
  const rows = await readRows<{ name: string }>(
    orm,
    sql`select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'p' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The migrations of a database; equal lists have equal tables. */
export async function readMigrations(orm: Orm): Promise<string[]> {
  const [migrations] = await readRows<{ found: boolean }>(
    orm,
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`,
  );
  if (!migrations?.found) return [];
  const rows = await readRows<{ hash: string }>(
    orm,
    sql`select hash from drizzle.__drizzle_migrations order by created_at`,
  );
  return rows.map(({ hash }) => hash);
}

/** Makes the text form of values independent of the server's settings. */
export async function fixFormats(transaction: Orm): Promise<void> {
  for (const setting of [
    "timezone = 'UTC'",
    "bytea_output = 'hex'",
    "intervalstyle = 'postgres'",
    'extra_float_digits = 1',
  ]) {
    await transaction.execute(sql.raw(`set local ${setting}`));
  }
}

/** Passes on the rows of a table as JSON, in batches, and returns their digest. */
export async function copyRows(
  transaction: Orm,
  { name, columns, holdsFiles }: Table,
  take: (rows: string[]) => Promise<void> = async () => undefined,
): Promise<Digest> {
  const digest = createDigest();
  await transaction.execute(
    sql.raw(
      `declare transferred no scroll cursor for
       select row_to_json(t)::text as row from (select ${columns.join(', ')} from ${name}) t`,
    ),
  );
  for (;;) {
    const fetched = await readRows<{ row: string }>(
      transaction,
      sql.raw(`fetch ${holdsFiles ? FILES_BATCH : BATCH} from transferred`),
    );
    if (fetched.length === 0) break;
    const rows = fetched.map(({ row }) => row);
    digest.add(rows);
    await take(rows);
  }
  await transaction.execute(sql.raw('close transferred'));
  return digest.result();
}

export function createDigest() {
  let rows = 0;
  let sum = 0n;
  return {
    add(texts: string[]): void {
      rows += texts.length;
      for (const text of texts) {
        sum = (sum + createHash('sha256').update(text).digest().readBigUInt64BE()) % SUMS_END;
      }
    },
    result: (): Digest => ({ rows, sum: sum.toString(16).padStart(16, '0') }),
  };
}

/** Reads a snapshot of a whole database. `begin` is called once with its migrations. */
export async function readDatabase(
  { orm }: Database,
  begin: (migrations: string[]) => Promise<void>,
  take: (table: Table) => Promise<((rows: string[]) => Promise<void>) | null>,
): Promise<Map<string, Digest>> {
  const partitioned = await listPartitioned(orm);
  return orm.transaction(async (transaction) => {
    await transaction.execute(sql`set transaction isolation level repeatable read, read only`);
    // Before the first query, which takes the snapshot: a partition dropped later would be missing from it too.
    for (const name of partitioned) {
      await transaction.execute(sql.raw(`lock table ${name} in access share mode`));
    }
    await fixFormats(transaction);
    await begin(await readMigrations(transaction));
    const digests = new Map<string, Digest>();
    for (const table of await readTables(transaction)) {
      const takeRows = await take(table);
      if (takeRows) digests.set(table.name, await copyRows(transaction, table, takeRows));
    }
    return digests;
  });
}
