import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Deps } from '#host/http/deps';

export interface SpoolFile {
  path: string;
  /** The process that wrote it. */
  program: string;
  /** Size of the complete, synced lines. */
  bytes: number;
  /** Where another process's data ended, with an unfinished line, when this process last checked. */
  seen: number;
  /** The position up to which everything was sent. */
  sent: number;
  /** Whether it is still being written to. */
  isOpen: boolean;
  /** Open while it is written to; longer if another process removed the file before all of it was sent. */
  handle?: FileHandle | undefined;
}

export interface OpenFile {
  file: SpoolFile;
  handle: FileHandle;
}

type Watched = Map<string, { mtimeMs: number; since: number }>;

/** Identifies this process among those that write files. */
export const OWN = 'own';

/** How often a running process renews the claim on its files, and when a file without a renewal counts as abandoned. */
export const CLAIM_MS = 5_000;
const ABANDONED_AFTER_MS = 30_000;

/** Files whose names end so are not read. */
const KEPT_SUFFIX = '.kept';
const RESERVE_CHUNK_BYTES = 1024 * 1024;

const MACHINE = hostname().replace(/[^\w-]/g, '') || 'machine';
const FILE_NAME = /^spool\.([\w-]+)\.(\d+)\.([\w-]{36})\.(\d+)\.log$/;
const RESERVE_NAME = /^spool\.([\w-]+)\.(\d+)\.([\w-]{36})\.reserved$/;

/** Creates the files of this process in a folder that several may share, and finds those that others abandoned. */
export class SpoolFiles {
  readonly #folder: string;
  readonly #own = randomUUID();
  #count = 0;
  #reserved: { path: string; handle: FileHandle; bytes: number } | undefined;
  /** Files of possibly running processes: when each was changed, and since when this process has seen it unchanged. */
  #watched: Watched = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get reservedBytes(): number {
    return this.#reserved?.bytes ?? 0;
  }

  /** A new, empty file that only this user can read, and whose directory entry is synced. */
  async create(): Promise<OpenFile> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#count += 1;
    const path = this.#pathOf(`${this.#count}.log`);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    return this.#syncEntry(path, handle);
  }

  /**
   * Allocates the space of a file ahead, with zeros, so that it can still be written when the disk is full. If this
   * process dies, others take the file over as one without visits.
   */
  async reserve(bytes: number): Promise<void> {
    if (this.#reserved) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(this.#folder);
    // Taking the last of it would make other programs fail, such as the database.
    if (bavail * bsize < 2 * bytes) throw new Error('the disk is almost full');
    const path = this.#pathOf('reserved');
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      for (let from = 0; from < bytes; from += RESERVE_CHUNK_BYTES)
        await writeAll(handle, Buffer.alloc(Math.min(RESERVE_CHUNK_BYTES, bytes - from)), from);
      await handle.sync();
      this.#reserved = { path, handle, bytes };
    } catch (error) {
      await handle.close();
      await rm(path, { force: true });
      throw error;
    }
  }

  /** The reserved space as the next file; null if there is none. */
  async takeReserve(): Promise<OpenFile | null> {
    if (!this.#reserved) return null;
    const { handle } = this.#reserved;
    const path = this.#pathOf(`${this.#count + 1}.log`);
    await rename(this.#reserved.path, path).catch(async (error: NodeJS.ErrnoException) => {
      // Another process considered this one dead.
      if (error.code === 'ENOENT') await this.freeReserve();
      throw error;
    });
    this.#reserved = undefined;
    this.#count += 1;
    return this.#syncEntry(path, handle);
  }

  async freeReserve(): Promise<void> {
    const freed = this.#reserved;
    this.#reserved = undefined;
    if (!freed) return;
    await freed.handle.close();
    await rm(freed.path, { force: true });
  }

  /**
   * Files that no running process claims, those of one process in the order in which they were written. All of a
   * process or none: a later file must not overtake an earlier one.
   */
  async listAbandoned(): Promise<SpoolFile[]> {
    const found: { path: string; program: string; size: number; position: number }[] = [];
    const claimed = new Set<string>();
    const previouslyWatched = this.#watched;
    this.#watched = new Map();
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const [, machine, pid, program, position = 0] = FILE_NAME.exec(name) ?? RESERVE_NAME.exec(name) ?? [];
      if (!program || program === this.#own) continue;
      const path = join(this.#folder, name);
      const stats = await stat(path).catch(({ code }: NodeJS.ErrnoException) => {
        if (code !== 'ENOENT') claimed.add(program);
      });
      if (!stats) continue;
      const isDead = machine === MACHINE && !isRunning(Number(pid));
      if (!isDead && this.#unchangedMs(path, stats.mtimeMs, previouslyWatched) < ABANDONED_AFTER_MS)
        claimed.add(program);
      found.push({ path, program, size: stats.size, position: Number(position) });
    }
    const abandoned = found
      .filter((file) => !claimed.has(file.program))
      .sort((a, b) => a.program.localeCompare(b.program) || a.position - b.position);
    return Promise.all(
      abandoned.map(async ({ path, program, size }) => {
        // What cannot be read is reported when it is to be sent.
        const bytes = await endOfData(path).catch(() => size);
        return { path, program, bytes, seen: bytes, sent: 0, isOpen: false };
      }),
    );
  }

  async claimAll(files: readonly SpoolFile[]): Promise<void> {
    const paths = files.map(({ path }) => path);
    await Promise.all((this.#reserved ? [...paths, this.#reserved.path] : paths).map(claim));
  }

  #pathOf(end: string): string {
    return join(this.#folder, `spool.${MACHINE}.${process.pid}.${this.#own}.${end}`);
  }

  /** The file, once its directory entry is synced. */
  async #syncEntry(path: string, handle: FileHandle): Promise<OpenFile> {
    try {
      const directory = await open(this.#folder);
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      await handle.close();
      throw error;
    }
    return { file: { path, program: OWN, bytes: 0, seen: 0, sent: 0, isOpen: true, handle }, handle };
  }

  /** By the clock of this process only, as the machine that changed the file may have another time. */
  #unchangedMs(path: string, mtimeMs: number, previouslyWatched: Watched): number {
    const now = performance.now();
    const last = previouslyWatched.get(path);
    const since = last?.mtimeMs === mtimeMs ? last.since : now;
    this.#watched.set(path, { mtimeMs, since });
    return now - since;
  }
}

/** Writes all bytes: a nearly full disk may accept a part without an error. */
export async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
}

/** Whether a folder has files of visits, of whichever process. */
export async function holdsVisits(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name));
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
  return stats.some(({ size }) => size > 0);
}

/** False for this process's own id: an earlier process had the same. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Renews the claim of a running process on a file. */
async function claim(path: string): Promise<void> {
  await utimes(path, new Date(), new Date()).catch(() => undefined);
}

/** Adds what another process, which was still alive after all, has written since. Returns whether there is any. */
export async function extend(file: SpoolFile): Promise<boolean> {
  const end = await endOfData(file.path).catch(() => 0);
  if (end <= file.seen) return false;
  file.bytes = end;
  file.seen = end;
  return true;
}

/**
 * Where the zeros of reserved space begin, or the end of the file. Lines contain no zeros; after a power cut there may
 * be some between parts of a write that was never acknowledged.
 */
async function endOfData(path: string): Promise<number> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const isZero = async (at: number) => (await readFrom(handle, at, 1))[0] === 0;
    let [data, end] = [-1, size];
    if (size === 0 || !(await isZero(size - 1))) return size;
    while (end - data > 1) {
      const middle = Math.floor((data + end) / 2);
      if (await isZero(middle)) end = middle;
      else data = middle;
    }
    return end;
  } finally {
    await handle.close();
  }
}

/**
 * Removes a sent file, and returns whether it is gone. One that cannot be removed is sent again after the next start,
 * but not counted again.
 */
export async function remove({ path }: SpoolFile, log: Deps['log']): Promise<boolean> {
  try {
    await rm(path, { force: true });
    return true;
  } catch (error) {
    log.warn({ err: error, file: path }, 'a spool file that was sent could not be removed');
    return false;
  }
}

/** Adds lines that this release cannot read to a file beside theirs, for an operator or another release; returns its path. */
export async function keepLines({ path }: SpoolFile, lines: Buffer[]): Promise<string> {
  const keptIn = `${path}${KEPT_SUFFIX}`;
  const handle = await open(keptIn, 'a', 0o600);
  try {
    await handle.appendFile(Buffer.concat(lines));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return keptIn;
}

/** Bytes of a file; null if another process sent all of it and removed it. */
export async function readPart(file: SpoolFile, from: number, bytes: number): Promise<Buffer | null> {
  if (file.handle) return readFrom(file.handle, from, bytes);
  const handle = await open(file.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return null;
  try {
    return await readFrom(handle, from, bytes);
  } finally {
    await handle.close();
  }
}

async function readFrom(handle: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
  return buffer.subarray(0, bytesRead);
}
