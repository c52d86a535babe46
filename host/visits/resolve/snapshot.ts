import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { DAY_MS } from '#contract/time';
import type { Deps } from '#host/http/deps';
import { createRepeatedError, type RepeatedError } from '#runtime/log';

/** The codes in memory, which the file is loaded into and rewritten from. */
interface CodesInMemory {
  slugs(): string[];
  set(slug: string, code: string): void;
  delete(slug: string): void;
  clear(): void;
  /** The packed code of a slug; null if there is none or it is not public. */
  peek(slug: string): string | null;
}

const FILE = 'codes.log';
const FLUSH_MS = 1_000;
const CONFIRM_MS = 60_000;
/** In an older snapshot too many codes may have been deleted or made private since. */
const MAX_AGE_MS = 7 * DAY_MS;
/** How many superseded lines there may be before the file is rewritten. */
const SUPERSEDED_LINES = 10_000;
const CHUNK_LINES = 2_000;
const PARTIAL_FILE = /^codes\.log\..*\.part$/;
const PARTIAL_MAX_AGE_MS = 600_000;
const CHUNK_BYTES = 65_536;

/**
 * Public codes on disk, for a start while the database is down.
 *
 * An append-only file of lines, each with a checksum: a slug with its code, a slug alone if it was removed, or the time
 * of a confirmation. The last line of a slug wins; damaged lines are skipped.
 */
export class CodeSnapshot {
  readonly #folder: string;
  readonly #path: string;
  readonly #log: Deps['log'];
  readonly #memory: CodesInMemory;
  readonly #writeError: RepeatedError;
  #pending: string[] = [];
  #willFlush = false;
  #supersededLines = Number.POSITIVE_INFINITY;
  #confirmedAt = 0;

  constructor({ visits, log }: Pick<Deps, 'visits' | 'log'>, memory: CodesInMemory) {
    this.#folder = visits.folder;
    this.#path = join(visits.folder, FILE);
    this.#log = log;
    this.#memory = memory;
    this.#writeError = createRepeatedError(log, 'the code snapshot could not be written');
  }

  /** Loads the codes of the last run into memory, unless they were last confirmed over a week ago. */
  load(): void {
    try {
      removePartialFiles(this.#folder);
    } catch (error) {
      this.#log.warn({ err: error }, 'what is left of an unfinished code snapshot could not be removed');
    }
    if (!existsSync(this.#path)) return;
    try {
      this.#read();
    } catch (error) {
      // The unread rest may have removed some of the codes that were read.
      this.#memory.clear();
      this.#log.warn({ err: error }, 'the code snapshot could not be read');
    }
  }

  /** Writes a packed code, or null if it is not public any more, within a second. */
  put(slug: string, code: string | null): void {
    this.#append(code === null ? writeLine(slug) : lineOf(slug, code));
  }

  /** The database was just reached, so the snapshot is up to date. */
  confirm(): void {
    if (Date.now() - this.#confirmedAt < CONFIRM_MS) return;
    this.#confirmedAt = Date.now();
    this.#append(writeLine(`@${this.#confirmedAt}`));
  }

  #read(): void {
    let damaged = 0;
    for (const line of readLines(this.#path)) {
      const text = readLine(line);
      if (text === null) damaged += 1;
      else if (text.startsWith('@')) this.#confirmedAt = Number(text.slice(1));
      else {
        const [slug = '', code] = text.split(' ');
        this.#memory.delete(slug);
        if (code) this.#memory.set(slug, Buffer.from(code, 'base64').toString('utf8'));
      }
    }
    if (damaged > 0) this.#log.warn({ lines: damaged }, 'skipped damaged lines of the code snapshot');
    const codes = this.#memory.slugs().length;
    if (codes === 0) return;
    const isTooOld = Date.now() - this.#confirmedAt > MAX_AGE_MS;
    if (isTooOld) this.#memory.clear();
    this.#log.info({ codes, confirmedAt: new Date(this.#confirmedAt), isTooOld }, 'code snapshot loaded');
  }

  #append(line: string): void {
    this.#pending.push(line);
    if (!this.#willFlush) setTimeout(() => this.#flush(), FLUSH_MS).unref();
    this.#willFlush = true;
  }

  async #flush(): Promise<void> {
    const lines = this.#pending;
    this.#pending = [];
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      if (this.#supersededLines > SUPERSEDED_LINES) await this.#rewrite();
      await write(this.#path, 'a', [lines]);
      this.#supersededLines += lines.length;
    } catch (error) {
      this.#supersededLines = Number.POSITIVE_INFINITY;
      this.#writeError.add({ err: error });
    }
    this.#willFlush = this.#pending.length > 0;
    if (this.#willFlush) setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  /** Replaces the file with the codes in memory. */
  async #rewrite(): Promise<void> {
    const part = `${this.#path}.${randomUUID()}.part`;
    try {
      await write(part, 'w', this.#linesOf(this.#memory.slugs()));
      await rename(part, this.#path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    this.#supersededLines = 0;
  }

  *#linesOf(slugs: string[]): Iterable<string[]> {
    for (let from = 0; from < slugs.length; from += CHUNK_LINES) {
      yield slugs.slice(from, from + CHUNK_LINES).flatMap((slug) => {
        const code = this.#memory.peek(slug);
        return code === null ? [] : lineOf(slug, code);
      });
    }
    if (this.#confirmedAt > 0) yield [writeLine(`@${this.#confirmedAt}`)];
  }
}

/** Slugs of codes in the snapshot of a folder, at most so many. */
export function listSnapshotSlugs(folder: string, limit: number): string[] {
  const path = join(folder, FILE);
  const slugs = new Set<string>();
  for (const line of existsSync(path) ? readLines(path) : []) {
    const [slug = '@', code] = readLine(line)?.split(' ') ?? [];
    if (code) slugs.add(slug);
    else slugs.delete(slug);
  }
  return [...slugs].slice(0, limit);
}

/** Removes partial files of killed processes; recent ones may belong to a running process. */
function removePartialFiles(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((name) => PARTIAL_FILE.test(name))) {
    const path = join(folder, name);
    const modifiedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (modifiedAt !== undefined && Date.now() - modifiedAt > PARTIAL_MAX_AGE_MS)
      rmSync(path, { force: true });
  }
}

/** Reads line by line, so that the file is never in memory as a whole. */
function* readLines(path: string): Iterable<string> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, 'r');
  try {
    let partial = '';
    for (;;) {
      const bytes = readSync(file, chunk);
      if (bytes === 0) break;
      const lines = (partial + chunk.toString('latin1', 0, bytes)).split('\n');
      partial = lines.pop() ?? '';
      yield* lines;
    }
    if (partial) yield partial;
  } finally {
    closeSync(file);
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
