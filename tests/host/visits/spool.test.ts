import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files, { type FileHandle, open as openFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/utc-days';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { readAgent } from '#host/visits/classify';
import { createVisitRecorder } from '#host/visits/recorder';
import { breakable } from '../../support/breakable-database';
import { createTestHost, engines, START, type TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { emptyVisits, readCode, readCounts } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';
const realNow = performance.now.bind(performance);

describe.each(engines)('on %s', (_, open) => {
  let host: TestHost;
  let broken: ReturnType<typeof breakable>;
  let ownerId: string;

  beforeAll(async () => {
    broken = breakable(await open());
    host = await createTestHost({ db: broken.db });
    ownerId = (await host.account()).id;
  });
  beforeEach(async () => {
    broken.set('none');
    await emptyVisits(host.db);
    rmSync(host.deps.visits.folder, { recursive: true, force: true });
  });
  afterAll(() => host.close());

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

  const scansOf = async (codeId: string) => (await readCode(host.db, codeId)).totals[0]?.scans ?? 0;

  /** Moves the monotonic clock ahead. */
  const setAhead = (ms: number) => vi.spyOn(performance, 'now').mockImplementation(() => realNow() + ms);

  /** The prototype of all file handles, for mocks. */
  async function fileHandlePrototype(): Promise<FileHandle> {
    const handle = await openFile(import.meta.filename);
    await handle.close();
    return Object.getPrototypeOf(handle) as FileHandle;
  }

  function hearLog() {
    const lines: { msg: string }[] = [];
    return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
  }

  test('visits that fill several files in an outage are all counted after a restart', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 30, { spoolBytes: 8_000 });
    expect(spoolFiles().length).toBeGreaterThan(2);
    await startAgain();
    expect(await scansOf(id)).toBe(30);
    expect(spoolFiles()).toEqual([]);
  });

  test('files of another machine are taken over together, once none has changed for half a minute', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 30, { spoolBytes: 8_000 });
    for (const path of spoolFiles())
      renameSync(path, path.replace(/spool\.[\w-]+\.\d+\./, 'spool.elsewhere.1.'));
    const [first = ''] = spoolFiles().sort();
    // File times on a machine with a different clock.
    for (const path of spoolFiles()) utimesSync(path, 1_000, 1_000);
    const recorder = createVisitRecorder(host.deps);
    const claim = async () => {
      await recorder.claimStale(0);
      await recorder.idle();
      return scansOf(id);
    };
    expect(await claim()).toBe(0);
    setAhead(31_000);
    utimesSync(first, 2_000, 2_000);
    expect(await claim()).toBe(0);
    setAhead(62_000);
    expect(await claim()).toBe(30);
    vi.restoreAllMocks();
    await recorder.close();
  });

  test('files behind an unreachable one wait for it', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 30, { spoolBytes: 8_000 });
    const [first = ''] = spoolFiles().sort();
    renameSync(first, `${first}.away`);
    symlinkSync(first, first);
    await startAgain();
    expect(await scansOf(id)).toBe(0);
    renameSync(`${first}.away`, first);
    await startAgain();
    expect(await scansOf(id)).toBe(30);
  });

  test('an unreadable file blocks only the later files of its process', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 30, { spoolBytes: 8_000 });
    const [first = ''] = spoolFiles().sort();
    renameSync(first, `${first}.away`);
    mkdirSync(first);
    const { log, lines } = hearLog();
    const recorder = createVisitRecorder({ ...host.deps, log });
    await recorder.claimStale(0);
    broken.set('down', 'visits_insert');
    await recorder.record(visitOf(id, AT));
    broken.set('none');
    await expect.poll(() => scansOf(id)).toBe(1);
    await recorder.idle();
    const told = lines.filter(({ msg }) => msg.startsWith('a spool file cannot be read'));
    expect(told).toEqual([expect.objectContaining({ file: first, level: 50 })]);
    rmSync(first, { recursive: true });
    renameSync(`${first}.away`, first);
    setAhead(61_000);
    await recorder.claimStale(0);
    await recorder.close();
    vi.restoreAllMocks();
    expect(await scansOf(id)).toBe(31);
  });

  test('a visit the database refused is on disk when acknowledged, and counted after a restart', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 5);
    expect(readSpool().split(id).length - 1).toBe(5);
    await startAgain();
    expect(await readCode(host.db, id)).toEqual({
      raw: [{ source: 'scan', class: 'human', count: 5 }],
      hours: [{ source: 'scan', class: 'human', count: 5 }],
      totals: [{ scans: 5, clicks: 0, others: 0 }],
      visitors: [{ day: '2026-03-02', count: 3 }],
    });
    expect(spoolFiles()).toEqual([]);
  });

  test('visits sent after their visitors were dropped count as visits, but not as visitors again', async () => {
    const { id } = await host.code(ownerId);
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT, { clientIp: '192.0.2.1' }));
    await recorder.close();
    await leave(id, 2);
    const later = new Date(Date.parse(AT) + 2 * DAY_MS);
    host.clock.set(later);
    await dropOldPersons(host.db.orm, later);
    await startAgain();
    host.clock.set(START);
    const text = 'select sum(count)::int as visits, sum(visitors)::int as visitors from visit_hours';
    expect(await host.db.query({ name: '', text, values: [] })).toEqual([{ visits: 3, visitors: 1 }]);
  });

  test('a batch whose commit was not acknowledged is not counted again after a restart', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 1, { trouble: 'lost' });
    expect(readSpool()).toContain(id);
    await startAgain();
    await startAgain();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  });

  test('when batches are resent together, committed and uncommitted ones are each counted once', async () => {
    const { id } = await host.code(ownerId);
    let trouble: 'down' | 'lost' | 'none' = 'down';
    let unacknowledged = 0;
    const query: TestHost['db']['query'] = async (statement) => {
      if (trouble === 'none' || statement.name !== 'visits_insert') return host.db.query(statement);
      if (trouble === 'down') throw new Error('connect ECONNREFUSED');
      const rows = await host.db.query<never>(statement);
      const [, , , size] = statement.values;
      if (Number(size) === 1) return rows;
      unacknowledged += 1;
      throw new Error('Connection terminated unexpectedly');
    };
    // The acknowledgement of a commit of several batches never reaches this recorder.
    const recorder = createVisitRecorder({ ...host.deps, db: { ...host.db, query } });
    for (let n = 0; n < 3; n += 1) await recorder.record(visitOf(id, AT));
    trouble = 'lost';
    await expect.poll(() => unacknowledged).toBeGreaterThan(0);
    trouble = 'down';
    await recorder.record(visitOf(id, AT));
    await startAgain();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 4, clicks: 0, others: 0 }]);
    const text = 'select size from visit_journal';
    expect(await host.db.query({ name: '', text, values: [] })).toEqual([]);
    // The recorder itself carries on.
    trouble = 'none';
    await recorder.close();
  });

  test('a batch that takes the database too long is on disk before its visits are acknowledged', async () => {
    const { id } = await host.code(ownerId);
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    broken.set('stuck', 'visits_insert');
    await Promise.all([recorder.record(visitOf(id, AT)), recorder.record(visitOf(id, AT))]);
    await recorder.record(visitOf(id, AT));
    // On a busy machine the first visit may have been spooled too.
    expect(readSpool().split(id).length - 1).toBeGreaterThanOrEqual(3);
    // This recorder goes on after another one has taken over its file.
    await startAgain();
    await recorder.record(visitOf(id, AT));
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 5, clicks: 0, others: 0 }]);
    expect(spoolFiles()).toEqual([]);
  });

  test('unfinished and damaged lines are skipped and everything else is counted', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 4);
    const [path = ''] = spoolFiles();
    const lines = readFileSync(path, 'utf8').split('\n');
    lines[1] = lines[1]?.replace('human', 'robot') ?? '';
    writeFileSync(path, lines.join('\n').slice(0, -20));
    const { log, lines: told } = hearLog();
    await startAgain(log);
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
    const damage = told.filter(({ msg }) => /damaged|unfinished end/.test(msg));
    expect(damage.map(({ msg }) => msg)).toEqual([
      'skipped a damaged line of the spool',
      'skipped the unfinished end of a spool file',
    ]);
  });

  test('visits of a long outage are sent in large batches, in order', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder(host.deps);
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 60 }, () => recorder.record(visitOf(id, AT))));
    }
    const sizes: unknown[] = [];
    const query: TestHost['db']['query'] = (statement) => {
      if (statement.name === 'visits_insert') sizes.push(statement.values[3]);
      return host.db.query(statement);
    };
    broken.set('none');
    const next = createVisitRecorder({ ...host.deps, db: { ...host.db, query } });
    await next.claimStale(0);
    await Promise.all([next.close(), recorder.close()]);
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2_400, clicks: 0, others: 0 }]);
    expect(Math.max(...sizes.map(Number))).toBeGreaterThan(500);
  });

  test('when the spool is full visits are served but not counted, and the log says how many', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder({
      ...host.deps,
      log,
      visits: { ...host.deps.visits, spoolBytes: 2_000 },
    });
    for (let n = 0; n < 40; n += 1) await recorder.record(visitOf(id, AT));
    const bytes = spoolFiles().reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).toBeLessThanOrEqual(2_000);
    broken.set('none');
    await recorder.close();
    const [counted] = (await readCode(host.db, id)).totals;
    expect(counted?.scans).toBeGreaterThan(3);
    expect(counted?.scans).toBeLessThan(40);
    const told = lines.filter(({ msg }) => msg.startsWith('the spool is full'));
    expect(told).toEqual([expect.objectContaining({ visits: expect.any(Number), level: 50 })]);
  });

  test('when the disk fails visits are served, kept in memory and counted', async () => {
    const { id } = await host.code(ownerId);
    const place = `${host.deps.visits.folder}.file`;
    writeFileSync(place, 'a file where a folder should be');
    const folder = join(place, 'none');
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
    for (let n = 0; n < 3; n += 1) await recorder.record(visitOf(id, AT));
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 3, clicks: 0, others: 0 }]);
    rmSync(place);
  });

  test('a batch kept in memory is not reported as lost when sending it fails', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    const place = `${host.deps.visits.folder}.file`;
    writeFileSync(place, 'a file where a folder should be');
    const visits = { ...host.deps.visits, folder: join(place, 'none') };
    let refuse = (_: Error) => {};
    let sent = 0;
    const query: TestHost['db']['query'] = (statement) => {
      if (statement.name !== 'visits_insert') return host.db.query(statement);
      sent += 1;
      if (sent > 1) return host.db.query(statement);
      return new Promise((_, reject) => {
        refuse = reject;
      });
    };
    const recorder = createVisitRecorder({ ...host.deps, log, visits, db: { ...host.db, query } });
    await recorder.record(visitOf(id, AT));
    // Also looks for batches in memory.
    await recorder.claimStale(0);
    refuse(new Error('Connection terminated unexpectedly'));
    await recorder.close();
    expect(await scansOf(id)).toBe(1);
    expect(lines.filter(({ msg }) => msg.startsWith('the spool is full'))).toEqual([]);
    rmSync(place);
  });

  test('a partial write to disk loses no visit', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    const handles = await fileHandlePrototype();
    const write = handles.write as (bytes: Buffer, from: number, length: number, at: number) => unknown;
    const writeHalf: typeof write = function (this: FileHandle, bytes, from, length, at) {
      return write.call(this, bytes, from, Math.floor(length / 2), at);
    };
    vi.spyOn(handles, 'write')
      .mockImplementationOnce(writeHalf as FileHandle['write'])
      .mockRejectedValueOnce(new Error('ENOSPC: no space left on device, write'));
    await recorder.record(visitOf(id, AT));
    vi.restoreAllMocks();
    await recorder.record(visitOf(id, AT));
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 3, clicks: 0, others: 0 }]);
  });

  test('batches that the disk refused are written in order as soon as it accepts writes again', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    const sync = vi
      .spyOn(await fileHandlePrototype(), 'datasync')
      .mockRejectedValueOnce(new Error('EIO: i/o error'));
    await Promise.all(Array.from({ length: 2_500 }, () => recorder.record(visitOf(id, AT))));
    sync.mockRestore();
    await recorder.record(visitOf(id, AT));
    await expect.poll(() => readSpool().split(id).length - 1).toBe(2_502);
    // As if this process had ended here.
    await startAgain();
    expect(await scansOf(id)).toBe(2_502);
    await recorder.close();
    expect(await scansOf(id)).toBe(2_502);
  });

  test('batches that the disk refused are written when the host stops without its database', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValueOnce(new Error('EIO: i/o error'));
    await recorder.record(visitOf(id, AT));
    vi.restoreAllMocks();
    await recorder.close();
    await startAgain();
    expect(await scansOf(id)).toBe(2);
  }, 15_000);

  test('batches queued behind one that could not be written do not overtake it', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValueOnce(new Error('EIO: i/o error'));
    await Promise.all(Array.from({ length: 2_500 }, () => recorder.record(visitOf(id, AT))));
    vi.restoreAllMocks();
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2_501, clicks: 0, others: 0 }]);
  });

  test('a sent file that cannot be removed does not block anything', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    const folder = mkdtempSync(join(tmpdir(), 'spool-'));
    broken.set('down', 'visits_insert');
    const recorder = createVisitRecorder({ ...host.deps, log, visits: { ...host.deps.visits, folder } });
    await recorder.record(visitOf(id, AT));
    broken.set('none');
    await recorder.idle();
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, 'a file where a folder should be');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
    expect(lines.map(({ msg }) => msg)).toContain('a spool file that was sent could not be removed');
    rmSync(folder);
    rmSync(`${folder}.away`, { recursive: true });
  });

  test('a sent file that cannot be removed is not sent again', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 1);
    const sent: unknown[] = [];
    const query: TestHost['db']['query'] = (statement) => {
      if (statement.name === 'visits_insert') sent.push(statement);
      return host.db.query(statement);
    };
    vi.spyOn(files, 'rm').mockRejectedValue(new Error('EACCES: permission denied'));
    syncBuiltinESMExports();
    const recorder = createVisitRecorder({ ...host.deps, db: { ...host.db, query } });
    for (let time = 0; time < 3; time += 1) {
      await recorder.claimStale(0);
      await recorder.idle();
    }
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(sent).toHaveLength(1);
    expect(await scansOf(id)).toBe(1);
    await recorder.close();
  });

  test('when the spool is full a visit is served, and counted once the slow database has committed it', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    const visits = { ...host.deps.visits, folder: `${host.deps.visits.folder}.full`, spoolBytes: 100 };
    const recorder = createVisitRecorder({ ...host.deps, log, visits });
    broken.set('stuck', 'visits_insert');
    await recorder.record(visitOf(id, AT));
    expect(readdirSync(visits.folder)).toEqual(['salts.json']);
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
    expect(lines.filter(({ msg }) => msg.startsWith('the spool is full'))).toEqual([]);
    rmSync(visits.folder, { recursive: true });
  });

  test('files contain no IP address or user agent, and only their owner can read them', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_insert');
    const agent = readAgent('Mozilla/5.0 (Marker) AppleWebKit/605.1.15 Safari/604.1');
    // A separate folder, because recorders of other tests may still write to the one of the host.
    const folder = mkdtempSync(join(tmpdir(), 'spool-'));
    const recorder = createVisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
    await recorder.record(visitOf(id, AT, { agent, clientIp: '198.51.100.77' }));
    const written = readdirSync(folder).map((name) => join(folder, name));
    expect(written).toHaveLength(2);
    for (const path of written) {
      expect(readFileSync(path, 'utf8')).not.toMatch(/Marker|198\.51/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    broken.set('none');
    await recorder.close();
    rmSync(folder, { recursive: true });
  });

  test('after a restart without the database visitors have the same hashes', async () => {
    const { id } = await host.code(ownerId);
    const scan = visitOf(id, AT);
    const before = createVisitRecorder(host.deps);
    await before.record(scan);
    await before.close();
    broken.set('down');
    await createVisitRecorder(host.deps).record(scan);
    await startAgain();
    expect(await readCode(host.db, id)).toMatchObject({
      totals: [{ scans: 2 }],
      visitors: [{ count: 1 }],
    });
    expect((await readCounts(host.db)).raw).toHaveLength(1);
  });
});
