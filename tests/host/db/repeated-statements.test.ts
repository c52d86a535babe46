import type { Duplex } from 'node:stream';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { openPrepared } from '../../support/prepared-database';

async function open(onConnect?: (connection: Duplex) => void): Promise<Database> {
  const db = await openPrepared(onConnect);
  onTestFinished(() => db.close());
  return db;
}

const prepared = (db: Database) =>
  readRows<{ statement: string; plans: number }>(
    db.orm,
    sql`select statement, generic_plans + custom_plans as plans from pg_prepared_statements order by prepare_time`,
  );

const increment = (db: Pick<Database, 'orm'>, number: number) =>
  readRows(db.orm, sql`select ${number}::int + 1 as sum`);

test('a statement is prepared from its second use on, within transactions too, and only with parameters', async () => {
  const db = await open();
  expect(await increment(db, 1)).toEqual([{ sum: 2 }]);
  await readRows(db.orm, sql`select 1`);
  await readRows(db.orm, sql`select 1`);
  expect(await prepared(db)).toEqual([]);

  expect(await increment(db, 2)).toEqual([{ sum: 3 }]);
  await db.orm.transaction((orm) => increment({ orm }, 3));
  expect(await increment(db, 4)).toEqual([{ sum: 5 }]);
  expect(await prepared(db)).toEqual([{ statement: 'select $1::int + 1 as sum', plans: 3 }]);
});

test('a prepared statement that fails in a transaction works in the next one', async () => {
  const db = await open();
  const invert = (orm: Database['orm'], number: number) =>
    readRows(orm, sql`select 1 / ${number}::int as part`);
  for (let repeat = 0; repeat < 3; repeat += 1)
    await expect(db.orm.transaction((orm) => invert(orm, 0))).rejects.toThrow();
  expect(await invert(db.orm, 1)).toEqual([{ part: 1 }]);
});

test('a new connection prepares its own statements', async () => {
  const connections: Duplex[] = [];
  const db = await open((connection) => connections.push(connection));
  for (const number of [1, 2]) await increment(db, number);
  connections[0]?.destroy();
  expect(await increment(db, 3)).toEqual([{ sum: 4 }]);
  expect(await prepared(db)).toEqual([]);
  expect(await increment(db, 4)).toEqual([{ sum: 5 }]);
  expect(await prepared(db)).toHaveLength(1);
  expect(connections).toHaveLength(2);
});

test('no more than 500 statements are prepared, and the later ones still run', async () => {
  const db = await open();
  for (let column = 0; column < 520; column += 1)
    for (const number of [1, 2])
      await readRows(db.orm, sql`select ${number}::int as ${sql.identifier(`column_${column}`)}`);
  expect(await prepared(db)).toHaveLength(500);
  expect(await increment(db, 1)).toEqual([{ sum: 2 }]);
});
