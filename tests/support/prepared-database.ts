import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type pg from 'pg';
import { type Database, openEmbedded } from '#host/db/client';
import { type Embedded, type EmbeddedOptions, openEmbeddedThread } from '#host/db/embedded';
import { emptyTables, readSchema } from './emptied-tables';

const CACHE = '.cache';
const MIGRATIONS = 'host/db/migrations';
const ENGINE = createRequire(import.meta.url).resolve('@electric-sql/pglite');
const HOUR_MS = 3_600_000;

interface Prepared {
  thread: Embedded;
  schema: string;
  onError: (error: Error) => void;
  isBroken: boolean;
}

/** Empty databases that no test is using, kept because starting the thread of one takes half a second. */
const free: Prepared[] = [];
let template: Promise<string> | undefined;

/**
 * An embedded, migrated, empty database in memory. It is restored from a cached file and reuses the thread of
 * a finished test if there is one.
 */
export async function openPrepared(
  onConnect: (connection: Duplex) => void = () => undefined,
): Promise<Database> {
  const db = await openEmbedded(undefined, {
    template: await preparedFile(),
    openThread: async (place, onError) => {
      const thread = await openThread(place, onError);
      const connect = () => {
        const connection = thread.connect();
        onConnect(connection);
        return connection;
      };
      return { ...thread, connect };
    },
  });
  return { ...db, migrate: async () => undefined };
}

async function openThread(place: EmbeddedOptions, onError: (error: Error) => void): Promise<Embedded> {
  const prepared = free.pop() ?? (await startThread(place));
  prepared.onError = onError;
  const stops: (() => Promise<void>)[] = [];
  return {
    ...prepared.thread,
    listen: async (...given) => {
      const stop = await prepared.thread.listen(...given);
      stops.push(stop);
      return stop;
    },
    close: async () => {
      for (const stop of stops) await stop();
      if (await isClean(prepared)) free.push(prepared);
      else await prepared.thread.close();
    },
  };
}

async function startThread(place: EmbeddedOptions): Promise<Prepared> {
  const thread = await openEmbeddedThread(place, (error) => {
    prepared.isBroken = true;
    prepared.onError(error);
  });
  const prepared = {
    thread,
    schema: await readSchema(connectionTo(thread)),
    onError: (_: Error) => {},
    isBroken: false,
  };
  return prepared;
}

/** Empties the database; false if it is broken or its schema was changed, so that it must not be reused. */
async function isClean({ thread, schema, isBroken }: Prepared): Promise<boolean> {
  return !isBroken && (await emptyTables(connectionTo(thread))) === schema;
}

/** A new connection also ends the transactions, settings and statements of the previous one. */
function connectionTo(thread: Embedded): pg.ClientConfig {
  return { stream: thread.connect, user: 'postgres', database: 'postgres' };
}

/** An embedded database in memory without any migration, restored because creating one takes two seconds. */
export async function openUnmigrated(): Promise<Database> {
  return openEmbedded(undefined, { template: await unmigratedFile() });
}

/** Unpacks a migrated, empty embedded database into a folder. */
export async function unpackPrepared(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xf', await preparedFile(), '-C', folder], { stdio: 'pipe' });
}

function preparedFile(): Promise<string> {
  template ??= cached('database', [ENGINE, ...migrationFiles()], (database) =>
    migrate(drizzle(database), { migrationsFolder: MIGRATIONS }),
  );
  return template;
}

function unmigratedFile(): Promise<string> {
  return cached('unmigrated', [ENGINE], async () => undefined);
}

function migrationFiles(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => join(MIGRATIONS, name));
}

/** The dump of a database that was prepared like this, created once as long as these files stay the same. */
async function cached(
  kind: string,
  inputs: string[],
  fill: (database: PGlite) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(basename(input)).update(readFileSync(input));
  const file = join(CACHE, `${kind}-${hash.digest('hex').slice(0, 16)}.tar`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true });
  for (const older of readdirSync(CACHE).filter((name) => name.startsWith(`${kind}-`))) {
    const path = join(CACHE, older);
    if (Date.now() - statSync(path).mtimeMs > HOUR_MS) rmSync(path, { force: true });
  }
  const database = await PGlite.create({});
  await fill(database);
  const dump = await database.dumpDataDir('none');
  await database.close();
  // Write, then rename, as several processes or threads may prepare it concurrently.
  const unfinished = `${file}.${randomUUID()}.part`;
  writeFileSync(unfinished, new Uint8Array(await dump.arrayBuffer()));
  renameSync(unfinished, file);
  return file;
}
