import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openServer } from '#host/db/client';
import { openFresh, serverUrl } from '../../support/fresh-database';
import { isRealTime, mayBeRealTime } from '../../support/scheduling';

let db: Database;
const run = <Row>(text: string, values: unknown[] = [], name = '') => db.query<Row>({ name, text, values });

beforeAll(async () => {
  db = await openFresh();
  await run('create table things (id int primary key, name text)');
});

afterAll(() => db.close());

test('counts and sums are numbers, or bigints where a number would not be exact', async () => {
  const [row] = await run('select count(*) as count, 9007199254740993::bigint as large from things');
  expect(row).toEqual({ count: 0, large: 9007199254740993n });
});

test('a named statement runs again with other values', async () => {
  for (const value of [1, 2, 3]) {
    expect(await run('select $1::int * 2 as twice', [value], 'twice')).toEqual([{ twice: value * 2 }]);
  }
});

test('a failed statement affects no statement before or after it', async () => {
  await run('insert into things values (1, $1)', ['first'], 'insert_thing');
  await expect(run('insert into things values (1, $1)', ['again'], 'insert_thing')).rejects.toMatchObject({
    code: '23505',
  });
  await expect(run('select nonsense from things')).rejects.toThrow('nonsense');
  await expect(run('insert into things values (2, $1)', ['second'], 'insert_thing')).resolves.toEqual([]);
  expect(await run('select name from things order by id')).toEqual([{ name: 'first' }, { name: 'second' }]);
});

test('a failed transaction leaves nothing behind, and others see none of it', async () => {
  const failed = db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`insert into things values (10, 'half')`);
    throw new Error('half way');
  });
  const beside = run('select count(*) as count from things where id = 10');
  await expect(failed).rejects.toThrow('half way');
  expect(await beside).toEqual([{ count: 0 }]);
  expect(await run('select count(*) as count from things where id = 10')).toEqual([{ count: 0 }]);
});

test('statements outside an open transaction are not part of it', async () => {
  let others: Promise<unknown>[] = [];
  await db.orm
    .transaction(async (transaction) => {
      await transaction.execute(sql`insert into things values (20, 'inside')`);
      others = [21, 22, 23].map((id) => run('insert into things values ($1, $2)', [id, 'outside']));
      throw new Error('undone');
    })
    .catch(() => undefined);
  await Promise.all(others);
  expect(await run('select id from things where id between 20 and 29 order by id')).toEqual([
    { id: 21 },
    { id: 22 },
    { id: 23 },
  ]);
});

test('notifications arrive, even after a failed statement, until the listener is removed', async () => {
  const heard: string[] = [];
  const stop = await db.listen('news', (payload) => heard.push(payload));
  await run('select pg_notify($1, $2)', ['news', 'one']);
  await expect.poll(() => heard).toEqual(['one']);
  await expect(run('select 1/0')).rejects.toThrow('division by zero');
  await db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_notify('news', ${'zwei, grüß'})`);
    await transaction.execute(sql`select pg_notify('elsewhere', 'not for us')`);
  });
  await expect.poll(() => heard).toEqual(['one', 'zwei, grüß']);
  await stop();
  await run('select pg_notify($1, $2)', ['news', 'three']);
  await run('select 1');
  expect(heard).toEqual(['one', 'zwei, grüß']);
});

test('long values are returned whole', async () => {
  const text = 'ü'.repeat(1_500_000);
  expect(await run('select $1::text as text', [text])).toEqual([{ text }]);
});

test('hosts that start together migrate once', async () => {
  await Promise.all([db.migrate(), db.migrate(), db.migrate()]);
  expect(await run('select count(*) as count from accounts')).toEqual([{ count: 0 }]);
});

test('the embedded server serves scans before other programs run, where the system allows it', async () => {
  const embedded = openServer(serverUrl(), () => undefined, { isEmbedded: true });
  const text = 'select pg_backend_pid() as pid';
  const [scans] = await embedded.query<{ pid: number }>({ name: '', text, values: [] });
  const pages = (await embedded.orm.execute(sql.raw(text))) as unknown as { rows: { pid: number }[] };
  const isExpected = await mayBeRealTime();
  await expect.poll(() => isRealTime(scans?.pid ?? 0)).toBe(isExpected);
  expect(isRealTime(pages.rows[0]?.pid ?? 0)).toBe(false);
  await embedded.close();
});
