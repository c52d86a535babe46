import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { withDatabaseUrl, withEmbeddedDatabase } from '#host/command-database';
import { EmbeddedPostgres } from '../../runtime/postgres/postgres.mjs';
import { makeDatabase, makeDataDir, query, startServer } from '../runtime/postgres/places';

const askFor = (place: object, work: (url: string) => Promise<unknown>, create = false) =>
  withDatabaseUrl(
    { DATABASE_URL: undefined, EMBEDDED_DATABASE_URL: undefined, DATA_DIR: '', ...place },
    work,
    {
      create,
    },
  );

test('a command uses the server of the settings', async () => {
  const DATABASE_URL = 'postgres://db';
  expect(await askFor({ DATABASE_URL }, async (url) => url)).toBe(DATABASE_URL);
});

test('a command creates a database only if it fills one, and stops the server that it started', async () => {
  const DATA_DIR = makeDataDir();
  const countTables = (url: string) => query(url, 'select 1 as one');
  await expect(askFor({ DATA_DIR }, countTables)).rejects.toThrow(
    `There is no database in ${DATA_DIR}: set DATA_DIR or DATABASE_URL.`,
  );
  expect(existsSync(DATA_DIR)).toBe(false);
  expect(await askFor({ DATA_DIR }, countTables, true)).toEqual([{ one: 1 }]);
  expect(await (await EmbeddedPostgres.prepare(DATA_DIR)).adopt()).toBe(false);
  const failing = askFor({ DATA_DIR }, async () => Promise.reject(new Error('of the command')));
  await expect(failing).rejects.toThrow('of the command');
  expect(await (await EmbeddedPostgres.prepare(DATA_DIR)).adopt()).toBe(false);
});

test('a command works beside a launcher, and leaves its server running', async () => {
  const DATA_DIR = await makeDatabase();
  const server = await startServer(DATA_DIR);
  await server.lock();
  const place = { DATABASE_URL: undefined, EMBEDDED_DATABASE_URL: undefined, DATA_DIR };
  expect(await withEmbeddedDatabase(place, async (url) => url)).toBe(server.url);
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a server that a launcher has taken over from a command runs on', async () => {
  const DATA_DIR = await makeDatabase();
  const launcher = await EmbeddedPostgres.prepare(DATA_DIR);
  onTestFinished(() => launcher.stop());
  const url = await askFor({ DATA_DIR }, async (given) => {
    expect(await launcher.start()).toBe(false);
    await launcher.lock();
    return given;
  });
  expect(await query(String(url), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('restoring a backup that is not there creates no database', async () => {
  const DATA_DIR = makeDataDir();
  const args = ['--import', 'tsx', 'host/transfer-command.ts', 'restore', join(DATA_DIR, 'typo.gz')];
  const env = {
    ...process.env,
    DATABASE_URL: '',
    DATABASE_DIRECT_URL: '',
    EMBEDDED_DATABASE_URL: '',
    DATA_DIR,
  };
  await expect(promisify(execFile)(process.execPath, args, { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^\S+typo\.gz cannot be used: there is no such file or folder\n$/),
  });
  expect(existsSync(DATA_DIR)).toBe(false);
}, 60_000);
