import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { type Database, openEmbedded } from '#host/db/client';

const CACHE = '.cache';
const MIGRATIONS = 'host/db/migrations';
const HOUR_MS = 3_600_000;

/** An embedded database in memory, already migrated: from a file made once, because setting one up takes seconds. */
export async function openPrepared(): Promise<Database> {
  return openEmbedded(undefined, { template: await preparedFile() });
}

/** Puts such a database into a folder. */
export async function unpackPrepared(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['-xf', await preparedFile(), '-C', folder], { stdio: 'pipe' });
}

async function preparedFile(): Promise<string> {
  const file = join(CACHE, `database-${versionOfEverything()}.tar`);
  if (!existsSync(file)) await prepare(file);
  return file;
}

function versionOfEverything(): string {
  const hash = createHash('sha256').update(
    readFileSync(createRequire(import.meta.url).resolve('@electric-sql/pglite')),
  );
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (name.endsWith('.sql')) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Renamed into place when it is whole: several test files may prepare it at the same time. */
async function prepare(file: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  for (const older of readdirSync(CACHE).filter((name) => name.startsWith('database-'))) {
    const path = join(CACHE, older);
    if (Date.now() - statSync(path).mtimeMs > HOUR_MS) rmSync(path, { force: true });
  }
  const database = await PGlite.create({});
  await migrate(drizzle(database), { migrationsFolder: MIGRATIONS });
  const dump = await database.dumpDataDir('none');
  await database.close();
  const unfinished = `${file}.${process.pid}.part`;
  writeFileSync(unfinished, new Uint8Array(await dump.arrayBuffer()));
  renameSync(unfinished, file);
}
