import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Deps } from '#host/http/deps';

/** Addresses of codes that anybody is led to, on the disk, for a start without the database. */
interface CodeSnapshot {
  /** Slugs with packed codes of the last run; none when the database was not heard of for a week. */
  load(): [slug: string, code: string][];
  /** Writes, within a second, what a slug leads to from now on; null for nowhere that all may go. */
  put(slug: string, code: string | null): void;
  /** The database was heard of: what is here is as it should be. */
  confirm(): void;
}

/** What the file is written anew from. */
interface Remembered {
  slugs(): string[];
  /** The packed code behind a slug; null where there is none that anybody is led to. */
  peek(slug: string): string | null;
}

const FLUSH_MS = 1_000;
const CONFIRM_MS = 60_000;
/** What nobody could confirm for longer may have been deleted or made private meanwhile. */
const OLDEST_MS = 7 * 24 * 3_600_000;
/** Lines beyond those that are needed, before the file is written anew. */
const SPARE_LINES = 10_000;
const AT_ONCE = 2_000;

/**
 * A file of lines, each with its checksum: a slug with its code, a slug alone where it was taken out, or a time at which
 * the database was heard of. The last line of a slug counts; a damaged one is left out.
 */
export function createCodeSnapshot(
  { visits, log }: Pick<Deps, 'visits' | 'log'>,
  memory: Remembered,
): CodeSnapshot {
  const path = join(visits.folder, 'codes.log');
  let pending: string[] = [];
  let willFlush = false;
  let spareLines = Number.POSITIVE_INFINITY;
  let heardAt = 0;

  function load(): [string, string][] {
    const codes = new Map<string, string>();
    let damaged = 0;
    for (const line of readLines(path)) {
      const text = readLine(line);
      if (text === null) damaged += 1;
      else if (text.startsWith('@')) heardAt = Number(text.slice(1));
      else {
        const [slug = '', code] = text.split(' ');
        codes.delete(slug);
        if (code) codes.set(slug, Buffer.from(code, 'base64').toString('utf8'));
      }
    }
    if (damaged > 0) log.warn({ lines: damaged }, 'damaged lines of the snapshot of codes are left out');
    if (codes.size === 0) return [];
    const isTooOld = Date.now() - heardAt > OLDEST_MS;
    log.info(
      { codes: codes.size, heardAt: new Date(heardAt), isTooOld },
      'codes of an earlier run are known',
    );
    return isTooOld ? [] : [...codes];
  }

  function put(slug: string, code: string | null): void {
    append(code === null ? writeLine(slug) : lineOf(slug, code));
  }

  function append(line: string): void {
    pending.push(line);
    if (!willFlush) setTimeout(flush, FLUSH_MS).unref();
    willFlush = true;
  }

  function confirm(): void {
    if (Date.now() - heardAt < CONFIRM_MS) return;
    heardAt = Date.now();
    append(writeLine(`@${heardAt}`));
  }

  async function flush(): Promise<void> {
    const taken = pending;
    pending = [];
    try {
      await mkdir(visits.folder, { recursive: true, mode: 0o700 });
      if (spareLines > SPARE_LINES) await writeAnew();
      await write(path, 'a', [taken]);
      spareLines += taken.length;
    } catch (error) {
      spareLines = Number.POSITIVE_INFINITY;
      log.warn({ err: error }, 'the snapshot of codes could not be written');
    }
    willFlush = pending.length > 0;
    if (willFlush) setTimeout(flush, FLUSH_MS).unref();
  }

  /** What is in memory, in place of all that was ever written. */
  async function writeAnew(): Promise<void> {
    const part = `${path}.${randomUUID()}.part`;
    await write(part, 'w', linesOf(memory.slugs()));
    await rename(part, path);
    spareLines = 0;
  }

  function* linesOf(slugs: string[]): Iterable<string[]> {
    for (let from = 0; from < slugs.length; from += AT_ONCE) {
      yield slugs.slice(from, from + AT_ONCE).flatMap((slug) => {
        const code = memory.peek(slug);
        return code === null ? [] : lineOf(slug, code);
      });
    }
    if (heardAt > 0) yield [writeLine(`@${heardAt}`)];
  }

  return { load, put, confirm };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

async function write(path: string, flags: 'a' | 'w', parts: Iterable<string[]>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    for (const lines of parts) {
      await file.appendFile(lines.join(''));
      await nextTurn();
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

function lineOf(slug: string, code: string): string {
  return writeLine(`${slug} ${Buffer.from(code).toString('base64')}`);
}

function writeLine(text: string): string {
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

function readLine(line: string): string | null {
  const text = line.slice(9);
  return line.slice(0, 9) === writeLine(text).slice(0, 9) ? text : null;
}
