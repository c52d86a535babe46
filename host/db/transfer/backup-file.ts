import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { Database } from '#host/db/client';
import { fillDatabase, TransferError } from './filling';
import { createDigest, type Digest, readDatabase, readMigrations } from './tables';

// A backup is gzipped text (RFC 1952): a header line, then for each table a line with `table` and its name and a line
// of JSON per row, and finally `end` with the digests of all tables.

/** Left out: without the salts visitors cannot be identified, not even with a list of IP addresses. */
const EXCLUDED_TABLES = ['visit_salts'];

const HEADER = 'quadrille-backup 1 ';
const TABLE = 'table ';
const END = 'end ';
const Migrations = z.array(z.string());
const Digests = z.record(z.string(), z.object({ rows: z.int(), sum: z.string() }));

/** What an operator can change about a file. */
const PROBLEMS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not use it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is in no folder',
  ENOSPC: 'its disk is full',
};

/** Rethrows an error, as a `TransferError` if it is about the file and not about a socket of the database. */
function failureOf(path: string): (error: unknown) => never {
  return (error) => {
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    const problem = syscall === 'connect' ? undefined : PROBLEMS[code];
    throw problem ? new TransferError(`${path} cannot be used: ${problem}`) : error;
  };
}

/** Rejects with a `TransferError` if a backup cannot be read, before a database is created for it. */
export async function requireReadable(path: string): Promise<void> {
  const read = async () => {
    const file = await open(path);
    await file.read(Buffer.alloc(1)).finally(() => file.close());
  };
  await read().catch(failureOf(path));
}

/** Writes a backup of a snapshot of the database, and verifies the file; returns the digests of its tables. */
export async function writeBackup(db: Database, path: string): Promise<Map<string, Digest>> {
  if (existsSync(path)) throw new TransferError(`${path} is there already, and is kept`);
  const unfinished = `${path}.part`;
  await rm(unfinished, { force: true }).catch(failureOf(path));
  const zipped = createGzip();
  // Contains personal data: readable only by its owner.
  const writing = pipeline(zipped, createWriteStream(unfinished, { mode: 0o600, flags: 'wx' }));
  writing.catch(() => undefined);
  const write = async (lines: string[]) => {
    if (zipped.destroyed) await writing;
    if (!zipped.write(`${lines.join('\n')}\n`)) await Promise.race([once(zipped, 'drain'), writing]);
  };
  try {
    const digests = await readDatabase(
      db,
      async (migrations) => write([HEADER + JSON.stringify(migrations)]),
      async ({ name }) => {
        if (EXCLUDED_TABLES.includes(name)) return null;
        await write([TABLE + name]);
        return write;
      },
    );
    await write([END + JSON.stringify(Object.fromEntries(digests))]);
    zipped.end();
    await writing;
    await readBackup(unfinished);
    await syncFile(unfinished);
    await rename(unfinished, path);
    return digests;
  } catch (error) {
    zipped.destroy();
    await rm(unfinished, { force: true });
    return failureOf(path)(error);
  }
}

/** Fills an empty, migrated database from a backup of the same release, or of the one before. */
export async function restoreBackup(db: Database, path: string): Promise<Map<string, Digest>> {
  const migrations = await readMigrations(db.orm);
  return fillDatabase(db, async ({ tables, write }) => {
    const byName = new Map(tables.map((table) => [table.name, table]));
    return readBackup(path, {
      migrations: (hashes) => {
        if (haveKnownTables(hashes, migrations)) return;
        throw new TransferError(
          'the backup is of another release: restore it with that one, then migrate the database with this one',
        );
      },
      rows: async (name, rows) => {
        const table = byName.get(name);
        if (!table) throw new TransferError(`the backup has a table that there is not: ${name}`);
        await write(table, rows);
      },
    });
  });
}

/** SHA-256 of the migrations of release 0.1.0, which later became the first one: it makes the same tables. */
const PREVIOUS_RELEASE = '817a85a209ed2630ebc9ebfbd2ff3df80bb423e1d3c34d59fdd47e224a6bee37';

/** Whether a backup has the tables of this release, or those of an earlier one that this release still knows. */
function haveKnownTables(hashes: string[], migrations: string[]): boolean {
  if (createHash('sha256').update(hashes.join()).digest('hex') === PREVIOUS_RELEASE) return true;
  return hashes.length > 0 && hashes.every((hash, place) => hash === migrations[place]);
}

interface Reader {
  migrations(hashes: string[]): void;
  rows(table: string, rows: string[]): Promise<void>;
}

/** Rows passed on at once. */
const BATCH = 200;

/** Reads a whole backup; rejects with a `TransferError` if it is no backup, incomplete or modified. */
export async function readBackup(path: string, reader?: Reader): Promise<Map<string, Digest>> {
  const found = new Map<string, ReturnType<typeof createDigest>>();
  let table: string | null = null;
  let rows: string[] = [];
  let end: string | null = null;
  const handOver = async () => {
    if (rows.length === 0) return;
    if (table === null) throw new SyntaxError('rows before the first table');
    found.get(table)?.add(rows);
    await reader?.rows(table, rows);
    rows = [];
  };
  try {
    const unzipped = createGunzip();
    const read = pipeline(createReadStream(path), unzipped);
    // The loop below gets the same error.
    read.catch(() => undefined);
    let hasHeader = false;
    for await (const line of linesOf(unzipped)) {
      if (!hasHeader) {
        if (!line.startsWith(HEADER)) throw new SyntaxError('unknown header');
        reader?.migrations(Migrations.parse(JSON.parse(line.slice(HEADER.length))));
        hasHeader = true;
      } else if (line.startsWith(TABLE)) {
        await handOver();
        table = line.slice(TABLE.length);
        found.set(table, createDigest());
      } else if (line.startsWith(END)) {
        await handOver();
        end = line.slice(END.length);
      } else if (rows.push(line) >= BATCH) await handOver();
    }
    const digests = Object.fromEntries([...found].map(([name, digest]) => [name, digest.result()]));
    if (isDeepStrictEqual(Digests.parse(JSON.parse(end ?? '')), digests))
      return new Map(Object.entries(digests));
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  throw new TransferError(`${path} is not a whole backup of this product`);
}

/** Whether an error is caused by the file: not compressed, incomplete, or with other content. */
function isBroken(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof z.ZodError) return true;
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}
