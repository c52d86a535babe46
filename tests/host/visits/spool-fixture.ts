import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, vi } from 'vitest';
import type { Database } from '#host/db/client';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { Spool } from '#host/visits/spool/spool';
import { breakable } from '../../support/breakable-database';
import { createTestHost, type TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { emptyVisits, readCode } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';
const realNow = performance.now.bind(performance);

/** A host whose database can be made to fail, and the spool of its visits. */
export async function openSpool(db: Database) {
  const broken = breakable(db);
  const host = await createTestHost({ db: broken.db });
  const { id: ownerId } = await host.account();

  /** Repairs the database and deletes all visits, also those in the spool. */
  async function clear(): Promise<void> {
    broken.set('none');
    await emptyVisits(host.db);
    rmSync(host.deps.visits.folder, { recursive: true, force: true });
  }

  const spoolFiles = () => spoolFilesIn(host.deps.visits.folder);
  const readSpool = () =>
    spoolFiles()
      .map((path) => readFileSync(path, 'utf8'))
      .join('');

  /** Leaves visits in the spool like a process that acknowledged them and was then killed. */
  async function leave(
    codeId: string,
    count: number,
    { trouble = 'down', ...limits }: { trouble?: 'down' | 'lost'; spoolBytes?: number } = {},
  ): Promise<void> {
    let isKilled = false;
    const query: TestHost['db']['query'] = async (statement) => {
      if (statement.name !== 'visits_insert') return host.db.query(statement);
      if (trouble === 'lost' && !isKilled) await host.db.query(statement);
      throw new Error('Connection terminated unexpectedly');
    };
    const visits = { ...host.deps.visits, ...limits };
    const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query }, visits });
    for (let n = 0; n < count; n += 1)
      await recorder.record(visitOf(codeId, AT, { clientIp: `192.0.2.${n % 3}` }));
    isKilled = true;
  }

  /** Restarts: takes over the spooled visits and counts them. */
  async function startAgain(log: TestHost['deps']['log'] = host.deps.log): Promise<void> {
    broken.set('none');
    const recorder = new VisitRecorder({ ...host.deps, log });
    await recorder.claimStale(0);
    await recorder.idle();
    await recorder.close();
  }

  /** Spool files that this process has open; Linux only. */
  const openFiles = () =>
    readdirSync('/proc/self/fd')
      .map(pathOfDescriptor)
      .filter((path) => path.startsWith(host.deps.visits.folder));

  const scansOf = async (codeId: string) => (await readCode(host.db, codeId)).totals[0]?.scans ?? 0;

  return { host, broken, ownerId, clear, spoolFiles, readSpool, openFiles, leave, startAgain, scansOf };
}

/** The spool files in a folder, without reserved space. */
export function spoolFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^spool\..*\.log$/.test(name))
    .map((name) => join(folder, name));
}

/** A spool without host and database. */
export function openStandaloneSpool(
  folder: string,
  log: TestHost['deps']['log'] = pino({ level: 'silent' }),
): Spool {
  return new Spool({ visits: { folder, spoolBytes: 1024 ** 2, knownCodes: 10 }, log });
}

/** A batch of one visit that can be told from others. */
export function batchNamed(name: string) {
  const visit = [null, 0, 'scan', 'human', 'served', name, 'other', 'en', '', null];
  return { size: 1, at: 0, visits: JSON.stringify([0, [visit]]) };
}

export const answer = (spool: Spool, name: string) => spool.add(batchNamed(name));

/** Acknowledges the next chunk; returns the names of its visits. */
export async function sendNext(spool: Spool): Promise<string[]> {
  const chunk = await spool.next();
  chunk?.acknowledge();
  return (JSON.parse(chunk?.merged.visits ?? '[0,[]]') as [number, string[][]])[1].map(
    ([, , , , , name]) => name ?? '',
  );
}

export async function sendAll(spool: Spool): Promise<string[]> {
  const sent: string[] = [];
  for (let some = await sendNext(spool); some.length > 0; some = await sendNext(spool)) sent.push(...some);
  return sent;
}

/** Makes the disk full: only space that is allocated can be written. Undone by `vi.restoreAllMocks`. */
export async function fillDisk(): Promise<void> {
  const handles = await fileHandlePrototype();
  const write = handles.write as (bytes: Buffer, from: number, length: number, at: number) => unknown;
  const writeAllocated: typeof write = async function (this: FileHandle, bytes, from, length, at) {
    const { size } = await this.stat();
    if (at + length > size) throw new Error('ENOSPC: no space left on device, write');
    return write.call(this, bytes, from, length, at);
  };
  vi.spyOn(handles, 'write').mockImplementation(writeAllocated as FileHandle['write']);
}

/** Takes over files, and waits until space is reserved. */
export async function reserveSpace(spool: Spool): Promise<void> {
  const sync = vi.spyOn(await fileHandlePrototype(), 'sync');
  await spool.claimStale();
  await expect.poll(() => sync.mock.settledResults.map(({ type }) => type)).toEqual(['fulfilled']);
  sync.mockRestore();
}

function pathOfDescriptor(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // Closed since it was listed.
    return '';
  }
}

/** Moves the monotonic clock ahead. */
export const setAhead = (ms: number) => vi.spyOn(performance, 'now').mockImplementation(() => realNow() + ms);

/** The prototype of all file handles, for mocks. */
export async function fileHandlePrototype(): Promise<FileHandle> {
  const handle = await openFile(import.meta.filename);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

export function hearLog() {
  const lines: { level: number; msg: string; visits?: number }[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}
