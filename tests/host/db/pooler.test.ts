import { sql } from 'drizzle-orm';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { openDatabaseProxy } from '../../support/database-proxy';
import { createFreshDatabase } from '../../support/fresh-database';

const STATEMENT = { name: 'a name of its own', text: 'select 1 as one', values: [] };

/** What fails or misbehaves on a pooler in transaction mode. */
const UNABLE = ['LISTEN', 'pg_advisory_lock', 'statement_timeout', STATEMENT.name];

test.each(UNABLE)('%s is not sent through a pooler', async (text) => {
  const { url, drop } = await createFreshDatabase();
  const proxy = await openDatabaseProxy(url);
  proxy.breakAt(text);
  const db = openServer(proxy.url, () => undefined, { directUrl: url, connections: 2, scanConnections: 1 });
  try {
    await db.migrate();
    const heard = new Promise<string>((hear) => void db.listen('said', hear));
    expect(await Promise.all([1, 2].map(() => db.query(STATEMENT)))).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    await db.orm.transaction((transaction) => transaction.execute(sql`select count(*) from accounts`));
    // Repeated, because the listener may not be ready for the first one.
    const notify = { name: '', text: "select pg_notify('said', 'something')", values: [] };
    const saying = setInterval(() => void db.query(notify), 100);
    expect(await heard.finally(() => clearInterval(saying))).toBe('something');
  } finally {
    await db.close();
    await proxy.close();
    await drop();
  }
});

test('a host opens no more connections than configured', async () => {
  const { url, drop } = await createFreshDatabase();
  const db = openServer(url, () => undefined, { connections: 2, scanConnections: 1 });
  const text = 'select pg_backend_pid() as pid, pg_sleep(0.02)';
  const eight = <T>(ask: () => T) => Promise.all(Array.from({ length: 8 }, ask));
  try {
    const pages = await eight(() => readRows<{ pid: number }>(db.orm, sql.raw(text)));
    const scans = await eight(() => db.query<{ pid: number }>({ name: '', text, values: [] }));
    const connections = [pages, scans].map((rows) => new Set(rows.flat().map(({ pid }) => pid)).size);
    expect(connections).toEqual([2, 1]);
  } finally {
    await db.close();
    await drop();
  }
});

test('a host listens to all channels on one connection, and reconnects when it breaks', async () => {
  const { url, drop } = await createFreshDatabase();
  const db = openServer(url, () => undefined);
  const listeners = async () => {
    const text = `select count(*) as count from pg_stat_activity
      where datname = current_database() and query like 'LISTEN%'`;
    const [row] = await db.query<{ count: number }>({ name: '', text, values: [] });
    return row?.count;
  };
  const say = (channel: string) =>
    db.query({ name: '', text: 'select pg_notify($1, $2)', values: [channel, `of ${channel}`] });
  const heard: string[] = [];
  const listenTo = (channel: string) =>
    db.listen(
      channel,
      (payload) => heard.push(payload),
      () => heard.push(`gap of ${channel}`),
    );
  try {
    const stops = await Promise.all(['codes', 'visits'].map(listenTo));
    expect(await listeners()).toBe(1);
    await Promise.all(['codes', 'visits', 'elsewhere'].map(say));
    await expect.poll(() => heard.sort()).toEqual(['of codes', 'of visits']);
    heard.length = 0;
    const lost = "select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%'";
    await db.query({
      name: '',
      text: `${lost} and datname = current_database()`,
      values: [],
    });
    await expect.poll(() => heard.sort(), { timeout: 5_000 }).toEqual(['gap of codes', 'gap of visits']);
    expect(await listeners()).toBe(1);
    await Promise.all(['codes', 'visits'].map(say));
    await expect.poll(() => heard).toHaveLength(4);
    await stops[0]?.();
    await Promise.all(['codes', 'visits'].map(say));
    await expect.poll(() => heard.filter((one) => one === 'of visits')).toHaveLength(2);
    expect(heard.filter((one) => one === 'of codes')).toHaveLength(1);
    await stops[1]?.();
    await expect.poll(listeners).toBe(0);
  } finally {
    await db.close();
    await drop();
  }
});

test('a client listens to one channel after the other', async () => {
  const { url, drop } = await createFreshDatabase();
  const db = openServer(url, () => undefined);
  const query = pg.Client.prototype.query as (this: pg.Client, text: string) => Promise<unknown>;
  const running = new WeakMap<pg.Client, number>();
  const most: number[] = [];
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (this: pg.Client, text: string) {
    running.set(this, (running.get(this) ?? 0) + 1);
    most.push(running.get(this) ?? 0);
    const result = await query.call(this, text);
    running.set(this, (running.get(this) ?? 0) - 1);
    return result;
  } as never);
  try {
    await Promise.all(['codes', 'visits', 'mails', 'blocks'].map((channel) => db.listen(channel, () => {})));
    expect(most.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...most)).toBe(1);
  } finally {
    await db.close();
    await drop();
  }
});

test('listening starts as soon as the server can be reached', async () => {
  const { url, drop } = await createFreshDatabase();
  const proxy = await openDatabaseProxy(url);
  proxy.breakAt('LISTEN');
  const errors: Error[] = [];
  const gaps: string[] = [];
  const db = openServer(url, (error) => errors.push(error), { directUrl: proxy.url });
  try {
    for (const channel of ['codes', 'visits']) {
      await db.listen(
        channel,
        () => undefined,
        () => gaps.push(channel),
      );
    }
    expect(errors).not.toEqual([]);
    expect(gaps).toEqual([]);
    proxy.breakAt(null);
    await expect.poll(() => gaps, { timeout: 5_000 }).toEqual(['codes', 'visits']);
  } finally {
    await db.close();
    await proxy.close();
    await drop();
  }
});
