import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Batch } from './journal';

/** One file of the spool. */
export interface SpoolFile {
  path: string;
  /** Bytes that are on the disk: lines that were written whole and synced. */
  bytes: number;
  /** How far it was read and sent. */
  sent: number;
  /** More is being written to it. */
  isOpen: boolean;
}

/** How often a living program says that a file is its own, and after how long without that nobody's it is. */
export const CLAIM_MS = 5_000;
const ABANDONED_MS = 30_000;

const MACHINE = hostname().replace(/[^\w-]/g, '') || 'machine';
const NAME = /^spool\.([\w-]+)\.(\d+)\.([\w-]{36})\.(\d+)\.log$/;

/** Makes the files of one program in the folder that several may share, and finds those of programs that are gone. */
export function createSpoolFiles(folder: string) {
  const own = randomUUID();
  let count = 0;

  /** A new, empty file whose name survives a power cut; only this user can read it. */
  async function make(): Promise<{ file: SpoolFile; handle: FileHandle }> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    count += 1;
    const path = join(folder, `spool.${MACHINE}.${process.pid}.${own}.${count}.log`);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    const place = await open(folder);
    await place.sync().finally(() => place.close());
    return { file: { path, bytes: 0, sent: 0, isOpen: true }, handle };
  }

  /** Files that no living program claims, those of one program in the order in which it wrote them. */
  async function listAbandoned(): Promise<SpoolFile[]> {
    const found: { file: SpoolFile; program: string; position: number }[] = [];
    for (const name of await readdir(folder).catch(() => [])) {
      const [, machine, pid, program, position] = NAME.exec(name) ?? [];
      if (!program || program === own) continue;
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
      const isDead = machine === MACHINE && !isRunning(Number(pid));
      if (isDead || Date.now() - mtimeMs > ABANDONED_MS)
        found.push({
          file: { path, bytes: size, sent: 0, isOpen: false },
          program,
          position: Number(position),
        });
    }
    return found
      .sort((one, other) => one.program.localeCompare(other.program) || one.position - other.position)
      .map(({ file }) => file);
  }

  return { make, listAbandoned };
}

/** Another program of this process id is none: it ran before. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Says that a living program takes care of the file. */
export async function claim({ path }: SpoolFile): Promise<void> {
  await utimes(path, new Date(), new Date()).catch(() => undefined);
}

export function remove({ path }: SpoolFile): Promise<void> {
  return rm(path, { force: true });
}

/** Bytes of a file; null where it is gone: another program has sent it all. */
export async function readPart({ path }: SpoolFile, from: number, bytes: number): Promise<Buffer | null> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A batch as one line of the spool: a checksum of the rest, what the batch is, and its visits, which are JSON. */
export function writeLine({ lane, number, size, at, visits }: Batch): string {
  const text = `${lane} ${number} ${size} ${at} ${visits}`;
  return `${checksum(text)} ${text}\n`;
}

/** The batch of a line; null where the line is not what was written. */
export function readLine(line: string): Batch | null {
  const [, sum, text = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(line) ?? [];
  if (sum !== checksum(text)) return null;
  const [, lane = '', number, size, at, visits = ''] = /^(\S+) (\d+) (\d+) (-?\d+) (.*)$/s.exec(text) ?? [];
  return { lane, number: Number(number), size: Number(size), at: Number(at), visits };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
