import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readAgent } from '#host/visits/classify';
import { createVisitRecorder } from '#host/visits/recorder';
import { breakable } from '../../support/breakable-database';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { emptyVisits, readCode, readCounts } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';

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

  /** Visits that were answered by a program that ended right after, with the database in this trouble. */
  async function leave(codeId: string, count: number, trouble: 'down' | 'lost' = 'down'): Promise<void> {
    broken.set(trouble, 'visits_keep');
    const recorder = createVisitRecorder(host.deps);
    for (let n = 0; n < count; n += 1)
      await recorder.record(visitOf(codeId, AT, { clientIp: `192.0.2.${n % 3}` }));
  }

  /** The next start: takes over what is there and counts it. */
  async function startAgain(log: TestHost['deps']['log'] = host.deps.log): Promise<void> {
    broken.set('none');
    const recorder = createVisitRecorder({ ...host.deps, log });
    await recorder.claimStale(0);
    await recorder.idle();
    await recorder.close();
  }

  function hearLog() {
    const lines: { msg: string }[] = [];
    return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
  }

  test('what the database did not take is on the disk when it is answered, and counted by the next start', async () => {
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

  test('a batch that was committed without anybody hearing of it is not counted again by the next start', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 1, 'lost');
    expect(readSpool()).toContain(id);
    await startAgain();
    await startAgain();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  });

  test('of batches that are sent again together, those that came in unheard are counted once, and the rest as well', async () => {
    const { id } = await host.code(ownerId);
    let trouble: 'down' | 'lost' | 'none' = 'down';
    let unheard = 0;
    const query: TestHost['db']['query'] = async (statement) => {
      if (trouble === 'none' || statement.name !== 'visits_keep') return host.db.query(statement);
      if (trouble === 'down') throw new Error('connect ECONNREFUSED');
      const rows = await host.db.query<never>(statement);
      const [, , , size] = statement.values;
      if (Number(size) === 1) return rows;
      unheard += 1;
      throw new Error('Connection terminated unexpectedly');
    };
    // This program never hears that the database took several at once, and ends.
    const recorder = createVisitRecorder({ ...host.deps, db: { ...host.db, query } });
    for (let n = 0; n < 3; n += 1) await recorder.record(visitOf(id, AT));
    trouble = 'lost';
    await expect.poll(() => unheard).toBeGreaterThan(0);
    trouble = 'down';
    await recorder.record(visitOf(id, AT));
    await startAgain();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 4, clicks: 0, others: 0 }]);
    const text = 'select size from visit_journal';
    expect(await host.db.query({ name: '', text, values: [] })).toEqual([]);
    // It goes on in this process all the same.
    trouble = 'none';
    await recorder.close();
  });

  test('a batch that the database is slow with is on the disk before its answer', async () => {
    const { id } = await host.code(ownerId);
    const recorder = createVisitRecorder(host.deps);
    await recorder.record(visitOf(id, AT));
    broken.set('stuck', 'visits_keep');
    await Promise.all([recorder.record(visitOf(id, AT)), recorder.record(visitOf(id, AT))]);
    await recorder.record(visitOf(id, AT));
    // On a busy machine the first visit may have been there as well.
    expect(readSpool().split(id).length - 1).toBeGreaterThanOrEqual(3);
    // This program goes on while another one has taken its file for one that was left.
    await startAgain();
    await recorder.record(visitOf(id, AT));
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 5, clicks: 0, others: 0 }]);
    expect(spoolFiles()).toEqual([]);
  });

  test('a line that was not finished, and one that is damaged, keep nothing else from being counted', async () => {
    const { id } = await host.code(ownerId);
    await leave(id, 4);
    const [path = ''] = spoolFiles();
    const lines = readFileSync(path, 'utf8').split('\n');
    lines[1] = lines[1]?.replace('human', 'robot') ?? '';
    writeFileSync(path, lines.join('\n').slice(0, -20));
    const { log, lines: told } = hearLog();
    await startAgain(log);
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
    const damage = told.filter(({ msg }) => /damaged|never written whole/.test(msg));
    expect(damage.map(({ msg }) => msg)).toEqual([
      'a damaged line of the spool is left out',
      'the end of a spool file was never written whole and is left out',
    ]);
  });

  test('visits of a long outage are sent many at a time, in order', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_keep');
    const recorder = createVisitRecorder(host.deps);
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 60 }, () => recorder.record(visitOf(id, AT))));
    }
    const sizes: unknown[] = [];
    const query: TestHost['db']['query'] = (statement) => {
      if (statement.name === 'visits_keep') sizes.push(statement.values[3]);
      return host.db.query(statement);
    };
    broken.set('none');
    const next = createVisitRecorder({ ...host.deps, db: { ...host.db, query } });
    await next.claimStale(0);
    await Promise.all([next.close(), recorder.close()]);
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2_400, clicks: 0, others: 0 }]);
    expect(Math.max(...sizes.map(Number))).toBeGreaterThan(500);
  });

  test('beyond its limit visits are answered and left out, and the log says how many', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    broken.set('down', 'visits_keep');
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

  test('a disk that takes nothing stops no scan, and what waits in memory is counted', async () => {
    const { id } = await host.code(ownerId);
    const place = `${host.deps.visits.folder}.file`;
    writeFileSync(place, 'a file where a folder should be');
    const folder = join(place, 'none');
    broken.set('down', 'visits_keep');
    const recorder = createVisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
    for (let n = 0; n < 3; n += 1) await recorder.record(visitOf(id, AT));
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 3, clicks: 0, others: 0 }]);
    rmSync(place);
  });

  test('without room in the spool a visit is answered all the same, and counted when the slow database takes it', async () => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    const visits = { ...host.deps.visits, folder: `${host.deps.visits.folder}.full`, spoolBytes: 100 };
    const recorder = createVisitRecorder({ ...host.deps, log, visits });
    broken.set('stuck', 'visits_keep');
    await recorder.record(visitOf(id, AT));
    expect(readdirSync(visits.folder)).toEqual(['salts.json']);
    broken.set('none');
    await recorder.close();
    expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
    expect(lines.filter(({ msg }) => msg.startsWith('the spool is full'))).toEqual([]);
    rmSync(visits.folder, { recursive: true });
  });

  test('files name neither an address nor a user agent, and only their owner can read them', async () => {
    const { id } = await host.code(ownerId);
    broken.set('down', 'visits_keep');
    const agent = readAgent('Mozilla/5.0 (Marker) AppleWebKit/605.1.15 Safari/604.1');
    // Recorders of other tests still try to write into the folder of the host.
    const folder = mkdtempSync(join(tmpdir(), 'spool-'));
    const recorder = createVisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
    await recorder.record(visitOf(id, AT, { agent, clientIp: '198.51.100.77' }));
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(files).toHaveLength(2);
    for (const path of files) {
      expect(readFileSync(path, 'utf8')).not.toMatch(/Marker|198\.51/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    broken.set('none');
    await recorder.close();
    rmSync(folder, { recursive: true });
  });

  test('a start without the database numbers visitors as the one before did', async () => {
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
