import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Statistics } from '#contract/statistics';
import { type Database, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { WRITTEN } from '#host/db/replica';
import { CodeCache } from '#host/visits/resolve/resolve';
import { openDatabaseProxy } from '../../support/database-proxy';
import { freePort } from '../../support/free-port';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { startHostProcess } from '../../support/host-process';
import { createReplicatedServer, serverPrograms } from '../../support/replicated-server';
import { openTransactionPooler } from '../../support/transaction-pooler';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PHONE = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' } };

const CONNECTIONS = 2;
const WAYS = ['directly', 'through poolers in transaction mode'] as const;
const CASES = serverPrograms.flatMap((programs) => WAYS.map((way) => [way, programs] as const));

describe.each(CASES)('with a replica reached %s (%s)', (way, programs) => {
  let servers: Awaited<ReturnType<typeof createReplicatedServer>>;
  let proxy: Awaited<ReturnType<typeof openDatabaseProxy>>;
  let host: TestHost;
  let owner: TestAccount;
  let replica: Database;
  const poolers: Awaited<ReturnType<typeof openTransactionPooler>>[] = [];
  const errors: Error[] = [];

  beforeAll(async () => {
    servers = await createReplicatedServer(programs);
    const [url, readUrl] = [await reach(servers.primary.url), await reach(servers.replica.url)];
    proxy = await openDatabaseProxy(readUrl);
    const directUrl = url === servers.primary.url ? undefined : servers.primary.url;
    const db = openServer(url, (error) => errors.push(error), {
      directUrl,
      readUrl: proxy.url,
      connections: CONNECTIONS,
    });
    host = await createTestHost({ db });
    owner = await host.account();
    replica = openServer(servers.replica.url, () => undefined);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await replica.close();
    await proxy.close();
    for (const pooler of poolers) await pooler.close();
    servers.remove();
  });

  async function reach(server: string): Promise<string> {
    if (way === 'directly') return server;
    const pooler = await openTransactionPooler(server);
    poolers.push(pooler);
    return pooler.url;
  }

  const run = (db: Database, text: string) => db.query<{ result: unknown }>({ name: '', text, values: [] });
  const pause = () => run(replica, 'select pg_wal_replay_pause()');
  const resume = () => run(replica, 'select pg_wal_replay_resume()');

  /** The primary’s write position, as returned by the lookup of a session. */
  async function writtenSoFar(): Promise<number> {
    const [row] = await readRows<{ position: number }>(host.db.orm, sql.raw(`select ${WRITTEN} as position`));
    return row?.position ?? Number.NaN;
  }

  async function isReplicaUsed(kind: 'exact' | 'figures' = 'exact'): Promise<boolean> {
    return host.db.reads[kind](await writtenSoFar(), async (orm) => {
      const [row] = await readRows<{ is: boolean }>(orm, sql`select pg_is_in_recovery() as is`);
      return row?.is ?? false;
    });
  }

  const reportedLosses = () =>
    errors.filter(({ message }) => message.startsWith('the replica does not respond'));

  /** Starts a read that takes very long on the replica only; resolves when it has begun. */
  async function readSlowly(): Promise<{ isOnReplica: Promise<boolean> }> {
    const since = await writtenSoFar();
    return new Promise((begin) => {
      const isOnReplica: Promise<boolean> = host.db.reads.exact(since, async (orm) => {
        begin({ isOnReplica });
        const [row] = await readRows<{ is: boolean }>(
          orm,
          sql`select pg_is_in_recovery() as is, pg_sleep(case when pg_is_in_recovery() then 50 else 0 end)`,
        );
        return row?.is ?? false;
      });
    });
  }

  async function listIds(): Promise<string[]> {
    const answer = await host.request('/api/qrcodes?page=1&limit=5', { token: owner.token });
    return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  }

  async function readStatistics(): Promise<Statistics> {
    const answer = await host.request('/api/qrcodes/stats', {
      method: 'POST',
      token: owner.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ period: 7 }),
    });
    return ((await answer.json()) as { data: Statistics }).data;
  }

  test('users see their own writes immediately', async () => {
    await expect.poll(() => isReplicaUsed()).toBe(true);
    for (let count = 0; count < 20; count += 1) {
      const { id } = await host.code(owner.id);
      expect((await listIds())[0]).toBe(id);
    }
    expect(await readStatistics()).toMatchObject({
      figures: { total_codes: { value: 20 } },
      behindSeconds: 0,
    });
  });

  test('while a replica lags, lists are read from the primary, and figures report the lag', async () => {
    await pause();
    const before = await readStatistics();
    const { id } = await host.code(owner.id);
    expect(await listIds()).toContain(id);
    expect(await isReplicaUsed()).toBe(false);
    await expect.poll(async () => (await readStatistics()).behindSeconds).toBeGreaterThanOrEqual(2);
    const late = await readStatistics();
    expect(late.figures.total_codes).toEqual(before.figures.total_codes);
    expect(host.clock.now().getTime() - Date.parse(late.asOf)).toBeGreaterThanOrEqual(1_500);

    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    expect(await isReplicaUsed('figures')).toBe(false);
    expect(await readStatistics()).toMatchObject({ behindSeconds: 0 });
    vi.restoreAllMocks();

    await resume();
    await expect.poll(() => isReplicaUsed()).toBe(true);
    expect((await readStatistics()).figures.total_codes.value).toBe(
      (before.figures.total_codes.value ?? 0) + 1,
    );
  });

  test('a code is read from the replica, unless a notified change has not been replayed there yet', async () => {
    const [kept, hidden] = [await host.code(owner.id), await host.code(owner.id)];
    const codes = new CodeCache(host.deps);
    const isCopied = async () =>
      (await run(replica, `select 1 from codes where slug = '${hidden.slug}'`)).length;
    await expect.poll(isCopied).toBe(1);
    await pause();
    await host.request(`/api/qrcodes/${hidden.id}`, {
      method: 'PATCH',
      token: owner.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ visibility: 'private' }),
    });
    await expect.poll(async () => codes.find(hidden.slug)).toMatchObject({ isPrivate: true });
    const made = await host.code(owner.id);
    expect(await codes.find(made.slug)).toMatchObject({ id: made.id });
    expect(await codes.find(kept.slug)).toMatchObject({ id: kept.id });
    await resume();
    await expect.poll(() => isReplicaUsed()).toBe(true);
  });

  test('a hanging replica delays no request, and one that was down is used again when it is back', async () => {
    const slow = await readSlowly();
    proxy.hang(true);
    expect(await slow.isOnReplica).toBe(false);
    expect(await isReplicaUsed()).toBe(false);
    expect(reportedLosses()).not.toEqual([]);
    proxy.hang(false);
    await expect.poll(() => isReplicaUsed()).toBe(true);

    errors.length = 0;
    servers.replica.kill();
    expect(await isReplicaUsed()).toBe(false);
    const { id } = await host.code(owner.id);
    expect((await listIds())[0]).toBe(id);
    await expect.poll(reportedLosses).toHaveLength(1);
    errors.length = 0;
    const checks = proxy.accepted();
    await expect.poll(proxy.accepted).toBeGreaterThan(checks + 1);
    servers.replica.start();
    await expect.poll(() => isReplicaUsed()).toBe(true);
    expect(errors).toEqual([]);
  });

  test('a replica whose connections all vanished silently is used again as soon as new ones work', async () => {
    const slow = await Promise.all(Array.from({ length: CONNECTIONS }, readSlowly));
    proxy.vanish();
    expect(await Promise.all(slow.map(({ isOnReplica }) => isOnReplica))).not.toContain(true);
    await expect.poll(() => isReplicaUsed()).toBe(true);
  });

  test('without the primary, codes that are not cached are read from the replica', async () => {
    const code = await host.code(owner.id);
    await expect.poll(() => isReplicaUsed()).toBe(true);
    const codes = new CodeCache(host.deps);
    proxy.hang(true);
    expect(await codes.find(code.slug)).toMatchObject({ id: code.id });
    proxy.hang(false);
    await expect.poll(() => isReplicaUsed()).toBe(true);
    const others = new CodeCache(host.deps);
    servers.primary.kill();
    // Stopping the primary blocks this process, which may consider the replica down until its next check.
    const find = async () => others.find(code.slug);
    await expect.poll(() => find().catch(() => null), { timeout: 5_000 }).toMatchObject({ id: code.id });
    await expect(async () => others.find('AAAAAAAA')).rejects.toMatchObject({ code: 'unavailable' });
    servers.primary.start();
    await expect.poll(async () => isReplicaUsed().catch(() => false)).toBe(true);
  });

  test('a host whose server is a replica logs that once, serves codes, and starts fully on its promotion', async () => {
    const code = await host.code(owner.id);
    await expect.poll(() => isReplicaUsed()).toBe(true);
    await host.close();
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'read-only-'));
    const port = await freePort();
    const starting = startHostProcess({
      DATABASE_URL: servers.replica.url,
      JWT_SECRET: 'a secret of the host that is long enough',
      HOST_PORT: String(port),
      DRAIN_SECONDS: '0',
      DATA_DIR,
    });
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...PHONE, redirect: 'manual' }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(() => ask(`/r/${code.slug}`), { timeout: 60_000 }).toBe(302);
    expect([await ask('/livez'), await ask('/readyz')]).toEqual([200, 503]);
    servers.replica.promote();
    const program = await starting;
    expect(await ask('/readyz')).toBe(200);
    await program.stop('SIGTERM');
    const lines = program.output().split('\n');
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([
      expect.stringContaining('the server of the database is read-only'),
    ]);
    rmSync(DATA_DIR, { recursive: true });
  });
});
