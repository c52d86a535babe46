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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { readAgent } from '#host/visits/receive/classify';
import { VisitRecorder } from '#host/visits/receive/recorder';
import type { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { START, type TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { hearLog, openSpool, setAhead } from './spool-fixture';
import { readCode, readCounts } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';

let spool: Awaited<ReturnType<typeof openSpool>>;
let host: TestHost;
let broken: ReturnType<typeof breakable>;
let ownerId: string;

beforeAll(async () => {
  spool = await openSpool(await openFresh());
  ({ host, broken, ownerId } = spool);
});
beforeEach(() => spool.clear());
afterAll(() => host.close());

test('visits that fill several files in an outage are all counted after a restart', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 30, { spoolBytes: 8_000 });
  expect(spool.spoolFiles().length).toBeGreaterThan(2);
  await spool.startAgain();
  expect(await spool.scansOf(id)).toBe(30);
  expect(spool.spoolFiles()).toEqual([]);
});

test('files of another machine are taken over together, once none has changed for half a minute', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 30, { spoolBytes: 8_000 });
  for (const path of spool.spoolFiles())
    renameSync(path, path.replace(/spool\.[\w-]+\.\d+\./, 'spool.elsewhere.1.'));
  const [first = ''] = spool.spoolFiles().sort();
  // File times on a machine with a different clock.
  for (const path of spool.spoolFiles()) utimesSync(path, 1_000, 1_000);
  const recorder = new VisitRecorder(host.deps);
  const claim = async () => {
    await recorder.claimStale(0);
    await recorder.idle();
    return spool.scansOf(id);
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
  await spool.leave(id, 30, { spoolBytes: 8_000 });
  const [first = ''] = spool.spoolFiles().sort();
  renameSync(first, `${first}.away`);
  symlinkSync(first, first);
  await spool.startAgain();
  expect(await spool.scansOf(id)).toBe(0);
  renameSync(`${first}.away`, first);
  await spool.startAgain();
  expect(await spool.scansOf(id)).toBe(30);
});

test('an unreadable file blocks only the later files of its process', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 30, { spoolBytes: 8_000 });
  const [first = ''] = spool.spoolFiles().sort();
  renameSync(first, `${first}.away`);
  mkdirSync(first);
  const { log, lines } = hearLog();
  const recorder = new VisitRecorder({ ...host.deps, log });
  await recorder.claimStale(0);
  broken.set('down', 'visits_insert');
  await recorder.record(visitOf(id, AT));
  broken.set('none');
  await expect.poll(() => spool.scansOf(id)).toBe(1);
  await recorder.idle();
  const reported = lines.filter(({ msg }) => msg.startsWith('a spool file cannot be read'));
  expect(reported).toEqual([expect.objectContaining({ file: first, level: 50 })]);
  rmSync(first, { recursive: true });
  renameSync(`${first}.away`, first);
  setAhead(61_000);
  await recorder.claimStale(0);
  await recorder.close();
  vi.restoreAllMocks();
  expect(await spool.scansOf(id)).toBe(31);
});

test('a visit the database refused is on disk when acknowledged, and counted after a restart', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 5);
  expect(spool.readSpool().split(id).length - 1).toBe(5);
  await spool.startAgain();
  expect(await readCode(host.db, id)).toEqual({
    raw: [{ source: 'scan', class: 'human', count: 5 }],
    hours: [{ source: 'scan', class: 'human', count: 5 }],
    totals: [{ scans: 5, clicks: 0, others: 0 }],
    visitors: [{ day: '2026-03-02', count: 3 }],
  });
  expect(spool.spoolFiles()).toEqual([]);
});

test('visits sent after their visitors were dropped count as visits, but not as visitors again', async () => {
  const { id } = await host.code(ownerId);
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(id, AT, { clientIp: '192.0.2.1' }));
  await recorder.close();
  await spool.leave(id, 2);
  const later = new Date(Date.parse(AT) + 2 * DAY_MS);
  host.clock.set(later);
  await dropOldPersons(host.db.orm, later);
  await spool.startAgain();
  host.clock.set(START);
  const text = 'select sum(count)::int as visits, sum(visitors)::int as visitors from visit_hours';
  expect(await host.db.query({ name: '', text, values: [] })).toEqual([{ visits: 3, visitors: 1 }]);
});

test('a batch whose commit was not acknowledged is not counted again after a restart', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 1, { trouble: 'lost' });
  expect(spool.readSpool()).toContain(id);
  await spool.startAgain();
  await spool.startAgain();
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
  const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  for (let n = 0; n < 3; n += 1) await recorder.record(visitOf(id, AT));
  trouble = 'lost';
  await expect.poll(() => unacknowledged).toBeGreaterThan(0);
  trouble = 'down';
  await recorder.record(visitOf(id, AT));
  await spool.startAgain();
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 4, clicks: 0, others: 0 }]);
  const text = 'select size from visit_journal';
  expect(await host.db.query({ name: '', text, values: [] })).toEqual([]);
  // The recorder itself carries on.
  trouble = 'none';
  await recorder.close();
});

test('a batch that takes the database too long is on disk before its visits are acknowledged', async () => {
  const { id } = await host.code(ownerId);
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(id, AT));
  broken.set('stuck', 'visits_insert');
  await Promise.all([recorder.record(visitOf(id, AT)), recorder.record(visitOf(id, AT))]);
  await recorder.record(visitOf(id, AT));
  // On a busy machine the first visit may have been spooled too.
  expect(spool.readSpool().split(id).length - 1).toBeGreaterThanOrEqual(3);
  // This recorder goes on after another one has taken over its file.
  await spool.startAgain();
  await recorder.record(visitOf(id, AT));
  await recorder.close();
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 5, clicks: 0, others: 0 }]);
  expect(spool.spoolFiles()).toEqual([]);
});

test('unfinished and damaged lines are skipped and everything else is counted', async () => {
  const { id } = await host.code(ownerId);
  await spool.leave(id, 4);
  const [path = ''] = spool.spoolFiles();
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[1] = lines[1]?.replace('human', 'robot') ?? '';
  writeFileSync(path, lines.join('\n').slice(0, -20));
  const { log, lines: reported } = hearLog();
  await spool.startAgain(log);
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
  const damage = reported.filter(({ msg }) => /damaged|unfinished end/.test(msg));
  expect(damage.map(({ msg }) => msg)).toEqual([
    'skipped a damaged line of the spool',
    'skipped the unfinished end of a spool file',
  ]);
});

test('visits of a long outage are sent in large batches, in order', async () => {
  const { id } = await host.code(ownerId);
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder(host.deps);
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(Array.from({ length: 60 }, () => recorder.record(visitOf(id, AT))));
  }
  const sizes: unknown[] = [];
  const query: TestHost['db']['query'] = (statement) => {
    if (statement.name === 'visits_insert') sizes.push(statement.values[3]);
    return host.db.query(statement);
  };
  broken.set('none');
  const next = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  await next.claimStale(0);
  await Promise.all([next.close(), recorder.close()]);
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2_400, clicks: 0, others: 0 }]);
  expect(Math.max(...sizes.map(Number))).toBeGreaterThan(500);
});

test('files contain no IP address or user agent, and only their owner can read them', async () => {
  const { id } = await host.code(ownerId);
  broken.set('down', 'visits_insert');
  const agent = readAgent('Mozilla/5.0 (Marker) AppleWebKit/605.1.15 Safari/604.1');
  // A separate folder, because recorders of other tests may still write to the one of the host.
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  const recorder = new VisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
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
  const before = new VisitRecorder(host.deps);
  await before.record(scan);
  await before.close();
  broken.set('down');
  await new VisitRecorder(host.deps).record(scan);
  await spool.startAgain();
  expect(await readCode(host.db, id)).toMatchObject({
    totals: [{ scans: 2 }],
    visitors: [{ count: 1 }],
  });
  expect((await readCounts(host.db)).raw).toHaveLength(1);
});
