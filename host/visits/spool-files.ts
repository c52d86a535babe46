import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Deps } from '#host/http/deps';
import type { Batch } from './journal';

export interface SpoolFile {
  path: string;
  /** The process that wrote it. */
  program: string;
  /** Size of the complete, synced lines. */
  bytes: number;
  /** Size of another process's file, with an unfinished line, when this process last checked. */
  seen: number;
  /** The position up to which everything was sent. */
  sent: number;
  /** Whether it is still being written to. */
  isOpen: boolean;
  /** Open while it is written to; longer if another process removed the file before all of it was sent. */
  handle?: FileHandle | undefined;
}

/** Identifies this process among those that write files. */
export const OWN = 'own';

/** How often a running process renews the claim on its files, and when a file without a renewal counts as abandoned. */
export const CLAIM_MS = 5_000;
const ABANDONED_AFTER_MS = 30_000;

const MACHINE = hostname().replace(/[^\w-]/g, '') || 'machine';
const FILE_NAME = /^spool\.([\w-]+)\.(\d+)\.([\w-]{36})\.(\d+)\.log$/;

/** Creates the files of this process in a folder that several may share, and finds those that others abandoned. */
export function createSpoolFiles(folder: string) {
  const own = randomUUID();
  let count = 0;
  /** Files of possibly running processes: when each was changed, and since when this process has seen it unchanged. */
  let watched = new Map<string, { mtimeMs: number; since: number }>();

  /** A new, empty file that only this user can read, and whose directory entry is synced. */
  async function create(): Promise<{ file: SpoolFile; handle: FileHandle }> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    count += 1;
    const path = join(folder, `spool.${MACHINE}.${process.pid}.${own}.${count}.log`);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    await syncFolder().catch(async (error) => {
      await handle.close();
      throw error;
    });
    return { file: { path, program: OWN, bytes: 0, seen: 0, sent: 0, isOpen: true, handle }, handle };
  }

  async function syncFolder(): Promise<void> {
    const directory = await open(folder);
    await directory.sync().finally(() => directory.close());
  }

  /**
   * Files that no running process claims, those of one process in the order in which they were written. All of a
   * process or none: a later file must not overtake an earlier one.
   */
  async function listAbandoned(): Promise<SpoolFile[]> {
    const found: { file: SpoolFile; position: number }[] = [];
    const claimed = new Set<string>();
    const previouslyWatched = watched;
    watched = new Map();
    for (const name of await readdir(folder).catch(() => [])) {
      const [, machine, pid, program, position] = FILE_NAME.exec(name) ?? [];
      if (!program || program === own) continue;
      const path = join(folder, name);
      const stats = await stat(path).catch(({ code }: NodeJS.ErrnoException) => {
        if (code !== 'ENOENT') claimed.add(program);
      });
      if (!stats) continue;
      const isDead = machine === MACHINE && !isRunning(Number(pid));
      if (!isDead && unchangedMs(path, stats.mtimeMs, previouslyWatched) < ABANDONED_AFTER_MS)
        claimed.add(program);
      const file = { path, program, bytes: stats.size, seen: stats.size, sent: 0, isOpen: false };
      found.push({ file, position: Number(position) });
    }
    return found
      .filter(({ file }) => !claimed.has(file.program))
      .sort((a, b) => a.file.program.localeCompare(b.file.program) || a.position - b.position)
      .map(({ file }) => file);
  }

  /** By the clock of this process only, as the machine that changed the file may have another time. */
  function unchangedMs(path: string, mtimeMs: number, previouslyWatched: typeof watched): number {
    const now = performance.now();
    const last = previouslyWatched.get(path);
    const since = last?.mtimeMs === mtimeMs ? last.since : now;
    watched.set(path, { mtimeMs, since });
    return now - since;
  }

  return { create, listAbandoned };
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

/** Renews the claim of a running process on the file. */
export async function claim({ path }: SpoolFile): Promise<void> {
  await utimes(path, new Date(), new Date()).catch(() => undefined);
}

/** Adds what another process, which was still alive after all, has written since. Returns whether there is any. */
export async function extend(file: SpoolFile): Promise<boolean> {
  const { size } = await stat(file.path).catch(() => ({ size: 0 }));
  if (size <= file.seen) return false;
  file.bytes = size;
  file.seen = size;
  return true;
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

/** A batch as one line: a checksum of the rest, the batch's fields and its visits, which are JSON. */
export function writeLine({ lane, number, size, at, visits }: Batch): string {
  const text = `${lane} ${number} ${size} ${at} ${visits}`;
  return `${checksum(text)} ${text}\n`;
}

/** The batch of a line; null if the line is damaged. */
export function readLine(line: string): Batch | null {
  const [, sum, text = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  if (sum !== checksum(text)) return null;
  const [, lane = '', number, size, at, visits = ''] = /^(\S+) (\d+) (\d+) (-?\d+) (.*)$/s.exec(text) ?? [];
  return { lane, number: Number(number), size: Number(size), at: Number(at), visits };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
