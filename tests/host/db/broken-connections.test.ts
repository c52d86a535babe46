import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { type Database, openServer } from '#host/db/client';
import { openDatabaseProxy } from '../../support/database-proxy';
import { createFreshDatabase, openFresh } from '../../support/fresh-database';
import { createTestHost } from '../../support/host';

/** More than the connections of both pools together. */
const MORE_THAN_THE_POOLS = 20;

/** Checks out all page connections; returns a function that releases them. */
async function takeAll(db: Database): Promise<() => Promise<void>> {
  let giveBack = () => {};
  const held = new Promise<void>((done) => {
    giveBack = done;
  });
  const transactions: Promise<void>[] = [];
  for (let count = 10; count > 0; count -= 1) {
    await new Promise<void>((isOpen) => {
      transactions.push(
        db.orm.transaction(async () => {
          isOpen();
          await held;
        }),
      );
    });
  }
  return async () => {
    giveBack();
    await Promise.all(transactions);
  };
}

test('a host whose connections are all in use is unhealthy', async () => {
  const host = await createTestHost();
  expect((await host.request('/healthz')).status).toBe(200);
  const giveBack = await takeAll(host.db);
  expect((await host.request('/healthz')).status).toBe(503);
  await giveBack();
  expect((await host.request('/healthz')).status).toBe(200);
  await host.close();
});

test('a transaction that swallows a failed statement rejects, because it was rolled back', async () => {
  const db = await openFresh();
  await db.orm.execute(sql`create table things (id int primary key)`);
  const careless = db.orm.transaction(async (transaction) => {
    await transaction.execute(sql`insert into things values (1)`);
    await transaction.execute(sql`insert into things values (1)`).catch(() => undefined);
  });
  await expect(careless).rejects.toThrow('rolled back');
  expect(await db.query({ name: '', text: 'select id from things', values: [] })).toEqual([]);
  await db.close();
});

describe('on a server', () => {
  test('a connection that breaks within a transaction is reported and does not crash the host', async () => {
    const { url, drop } = await createFreshDatabase();
    const errors: Error[] = [];
    const db = openServer(url, (error) => errors.push(error));
    const broken = db.orm.transaction(async (transaction) => {
      const { rows } = (await transaction.execute(sql`select pg_backend_pid() as pid`)) as unknown as {
        rows: { pid: number }[];
      };
      await db.query({ name: '', text: 'select pg_terminate_backend($1)', values: [rows[0]?.pid] });
      await expect.poll(() => errors.length).toBeGreaterThan(0);
      await transaction.execute(sql`select 1`);
    });
    await expect(broken).rejects.toThrow();
    expect(errors[0]?.message).toContain('terminating connection');
    await expect(db.ping()).resolves.toBeUndefined();
    await db.close();
    await drop();
  });

  test('transactions that fail to begin release their connections', async () => {
    const { url, drop } = await createFreshDatabase();
    const proxy = await openDatabaseProxy(url);
    const db = openServer(proxy.url, () => undefined);
    proxy.breakAt('begin');
    for (let attempt = 0; attempt < MORE_THAN_THE_POOLS; attempt += 1) {
      await expect(db.orm.transaction(async () => undefined)).rejects.toThrow();
    }
    proxy.breakAt(null);
    await expect(db.orm.transaction(async () => 'begun')).resolves.toBe('begun');
    await expect(db.ping()).resolves.toBeUndefined();
    await db.close();
    await proxy.close();
    await drop();
  });

  test('a connection whose commit or rollback was lost does not return to the pool', async () => {
    const { url, drop } = await createFreshDatabase();
    const proxy = await openDatabaseProxy(url);
    const db = openServer(proxy.url, () => undefined);
    for (const lost of ['commit', 'rollback']) {
      proxy.breakAt(lost);
      const attempt = db.orm.transaction(async () => {
        if (lost === 'rollback') throw new Error('undone');
      });
      await expect(attempt).rejects.toThrow(lost === 'rollback' ? 'undone' : 'terminated');
      proxy.breakAt(null);
      await expect(db.orm.transaction(async () => 'done')).resolves.toBe('done');
    }
    await db.close();
    await proxy.close();
    await drop();
  });

  test.each([
    ['is replaced by another one', 'vanish'],
    ['answers nobody', 'hang'],
  ] as const)(
    'no page waits long for a server that vanishes without a word and %s',
    async (_, fault) => {
      const { url, drop } = await createFreshDatabase();
      const proxy = await openDatabaseProxy(url);
      const db = openServer(proxy.url, () => undefined);
      let vanished = () => {};
      const isGone = new Promise<void>((done) => {
        vanished = done;
      });
      let begun = 0;
      const ends = Array.from({ length: MORE_THAN_THE_POOLS }, async () => {
        const page = db.orm.transaction(async (transaction) => {
          begun += 1;
          await isGone;
          await transaction.execute(sql`select 1`);
        });
        const wasLost = await page.then(
          () => false,
          () => true,
        );
        return { wasLost, at: performance.now() };
      });
      await expect.poll(() => begun).toBe(10);
      if (fault === 'vanish') proxy.vanish();
      else proxy.hang(true);
      vanished();
      const began = performance.now();
      const pages = await Promise.all(ends);
      expect(pages.filter(({ wasLost }) => wasLost).length).toBeGreaterThanOrEqual(10);
      expect(Math.max(...pages.map(({ at }) => at - began))).toBeLessThan(10_000);
      proxy.hang(false);
      await expect(db.ping()).resolves.toBeUndefined();
      await db.close();
      await proxy.close();
      await drop();
    },
    30_000,
  );

  test('a slow page query is not aborted while its server is alive', async () => {
    const { url, drop } = await createFreshDatabase();
    const db = openServer(url, () => undefined);
    await expect(db.orm.execute(sql`select pg_sleep(5)`)).resolves.toBeDefined();
    await db.close();
    await drop();
  }, 30_000);

  test('the server has time limits for statements and idle transactions', async () => {
    const { url, drop } = await createFreshDatabase();
    const db = openServer(url, () => undefined);
    const text = `select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`;
    const { rows: pages } = (await db.orm.execute(sql.raw(text))) as unknown as { rows: unknown[] };
    expect(pages).toEqual([{ statement: '5min', idle: '1min' }]);
    expect(await db.query({ name: '', text, values: [] })).toEqual([{ statement: '10s', idle: '1min' }]);
    await db.close();
    await drop();
  });
});
