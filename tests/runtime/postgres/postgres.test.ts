import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { EmbeddedPostgres } from '../../../runtime/postgres/postgres.mjs';
import { makeDatabase, makeDataDir, query, startServer } from './places';

test('a new database is durable, checked and private, and no port of the network leads to it', async () => {
  const server = await startServer(makeDataDir(), false);
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses'];
  const shown = names.map((name) => `current_setting('${name}') as ${name}`).join();
  expect(await query(server.url, `select ${shown}, getdatabaseencoding() as encoding`)).toEqual([
    {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      encoding: 'UTF8',
    },
  ]);
  expect(statSync(server.folder).mode & 0o777).toBe(0o700);
  expect(listeningInodes().filter((inode) => socketsOf(server.pid).includes(inode))).toEqual([]);
});

/** Inodes of all sockets that listen on a port of the network. */
function listeningInodes(): string[] {
  const LISTEN = '0A';
  const lines = ['tcp', 'tcp6'].flatMap((file) =>
    readFileSync(`/proc/net/${file}`, 'utf8').split('\n').slice(1),
  );
  const fields = lines.map((line) => line.trim().split(/\s+/));
  return fields.filter(([, , , state]) => state === LISTEN).map((each) => String(each[9]));
}

function socketsOf(pid: number): string[] {
  const listed = execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' });
  return [...listed.matchAll(/ socket:\[(\d+)\]$/gm)].map(([, inode]) => String(inode));
}

test('a port of this process that listens is found among those of the network', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  expect(listeningInodes().some((inode) => socketsOf(process.pid).includes(inode))).toBe(true);
});

test('every commit waits until the log is on disk', async () => {
  const server = await startServer(await makeDatabase(), false);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const countSyncs = async () => {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query(`select sum(fsyncs)::int as n from pg_stat_io where object = 'wal'`);
    return rows[0].n as number;
  };
  await client.query('create table kept (n int)');
  const before = await countSyncs();
  for (let n = 0; n < 20; n += 1) await client.query('insert into kept values ($1)', [n]);
  expect((await countSyncs()) - before).toBeGreaterThanOrEqual(20);
  await client.end();
});

test('a second program takes over the running server, and cannot be a second launcher', async () => {
  const dataDir = await makeDatabase();
  const first = await startServer(dataDir);
  await first.lock();
  const second = await EmbeddedPostgres.prepare(dataDir);
  expect(await second.start()).toBe(false);
  expect([second.pid, second.url]).toEqual([first.pid, first.url]);
  await expect(second.lock()).rejects.toThrow(
    `Quadrille already runs on ${dataDir}: stop it, or set another DATA_DIR.`,
  );
  await first.leave();
  await second.lock();
  await second.leave();
});

test('a server that is killed is noticed, and what was committed is there after the next start', async () => {
  const server = await startServer(await makeDatabase(), false);
  await server.lock();
  await query(server.url, 'create table kept as select generate_series(1, 1000) as n');
  // With all its processes, as in a power cut.
  process.kill(-server.pid, 'SIGKILL');
  await server.untilLost();
  expect(await server.start()).toBe(true);
  expect(await query(server.url, 'select sum(n)::int as total from kept')).toEqual([{ total: 500_500 }]);
  await server.lock();
});

test('a server that another process started is noticed when it is killed, too', async () => {
  const dataDir = await makeDatabase();
  const starter = await startServer(dataDir);
  const server = await EmbeddedPostgres.prepare(dataDir);
  onTestFinished(() => server.stop());
  expect(await server.start()).toBe(false);
  await server.lock();
  process.kill(-starter.pid, 'SIGKILL');
  await server.untilLost();
  expect(await server.start()).toBe(true);
});

test('a frozen server holds up nobody who stops it', async () => {
  const server = await startServer(await makeDatabase());
  await server.lock();
  const [backend] = await query(
    server.url,
    `select pid from pg_stat_activity where application_name = 'launcher'`,
  );
  const frozen = [server.pid, (backend as { pid: number }).pid];
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
  });
  const askedAt = performance.now();
  await server.stop(1_000);
  expect(performance.now() - askedAt).toBeLessThan(3_000);
});

test('the process file of a killed server may name another living program, which is left alone', async () => {
  const dataDir = await makeDatabase();
  const server = await startServer(dataDir);
  const file = join(server.folder, 'postmaster.pid');
  const lines = readFileSync(file, 'utf8').split('\n');
  process.kill(-server.pid, 'SIGKILL');
  await expect.poll(() => server.adopt()).toBe(false);
  writeFileSync(file, [process.pid, ...lines.slice(1)].join('\n'));
  const next = await EmbeddedPostgres.prepare(dataDir);
  onTestFinished(() => next.stop());
  expect(await next.start()).toBe(true);
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a damaged database says what is wrong with it, and nothing of it is changed', async () => {
  const server = await startServer(await makeDatabase());
  await server.stop();
  const file = join(server.folder, 'global/pg_control');
  const damaged = readFileSync(file).fill(7, 0, 100);
  writeFileSync(file, damaged);
  const again = await EmbeddedPostgres.prepare(join(server.folder, '..'));
  await expect(again.start()).rejects.toThrow(
    /^The database in \S+ does not start \(.*(?:pg_control|incompatible|control file).*\)\.$/,
  );
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

test('a folder whose path is too long for a socket is used all the same', async () => {
  const dataDir = join(makeDataDir(), 'a-long-name-of-a-folder'.repeat(5));
  const server = await startServer(dataDir);
  expect(server.url).not.toContain('a-long-name');
  expect(await query(server.url, 'show data_directory')).toEqual([{ data_directory: server.folder }]);
  expect(server.folder).toContain('a-long-name');
});

test('on loopback it wants a password', async () => {
  const server = await EmbeddedPostgres.prepare(makeDataDir(), { onLoopback: true, isDisposable: true });
  onTestFinished(() => server.stop());
  await server.start();
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  const stranger = new URL(server.url);
  stranger.password = 'guessed';
  await expect(query(stranger.href, 'select 1')).rejects.toThrow(/password authentication failed/);
});
