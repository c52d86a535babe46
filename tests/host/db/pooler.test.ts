import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openServer } from '#host/db/client';
import { readRows } from '#host/db/rows';
import { openDatabaseProxy } from '../../support/database-proxy';
import { createFreshDatabase } from '../../support/fresh-database';

const servers = process.env.TEST_DATABASE_URL ? [process.env.TEST_DATABASE_URL] : [];
const STATEMENT = { name: 'a name of its own', text: 'select 1 as one', values: [] };

/** What a pooler that hands every transaction another connection refuses, or answers wrongly. */
const UNABLE = ['LISTEN', 'pg_advisory_lock', 'statement_timeout', STATEMENT.name];

test.each(servers.flatMap((server) => UNABLE.map((text) => [text, server])))(
  'through a pooler goes no %s',
  async (text, server) => {
    const { url, drop } = await createFreshDatabase(server);
    const proxy = await openDatabaseProxy(url);
    proxy.breakAt(text);
    const db = openServer(proxy.url, () => undefined, { directUrl: url, connections: 2, scanConnections: 1 });
    try {
      await db.migrate();
      const heard = new Promise<string>((hear) => void db.listen('said', hear));
      expect(await Promise.all([1, 2].map(() => db.query(STATEMENT)))).toEqual([[{ one: 1 }], [{ one: 1 }]]);
      await db.orm.transaction((transaction) => transaction.execute(sql`select count(*) from accounts`));
      // Whoever listens may have come too late for the first one.
      const notify = { name: '', text: "select pg_notify('said', 'something')", values: [] };
      const saying = setInterval(() => void db.query(notify), 100);
      expect(await heard.finally(() => clearInterval(saying))).toBe('something');
    } finally {
      await db.close();
      await proxy.close();
      await drop();
    }
  },
);

test.each(servers)('a host takes no more connections than it was given', async (server) => {
  const { url, drop } = await createFreshDatabase(server);
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
