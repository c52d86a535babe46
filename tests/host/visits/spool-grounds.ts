import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { vi } from 'vitest';
import type { Database } from '#host/db/client';
import { createVisitRecorder } from '#host/visits/recorder';
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

  const spoolFiles = () =>
    readdirSync(host.deps.visits.folder)
      .filter((name) => name.startsWith('spool.'))
      .map((name) => join(host.deps.visits.folder, name));
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
    const recorder = createVisitRecorder({ ...host.deps, db: { ...host.db, query }, visits });
    for (let n = 0; n < count; n += 1)
      await recorder.record(visitOf(codeId, AT, { clientIp: `192.0.2.${n % 3}` }));
    isKilled = true;
  }

  /** Restarts: takes over the spooled visits and counts them. */
  async function startAgain(log: TestHost['deps']['log'] = host.deps.log): Promise<void> {
    broken.set('none');
    const recorder = createVisitRecorder({ ...host.deps, log });
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
  const lines: { msg: string }[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}
