import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { VisitRecorder } from '#host/visits/receive/recorder';
import type { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import type { TestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { fileHandlePrototype, hearLog, openSpool } from './spool-fixture';
import { readCode } from './stored-visits';

const AT = '2026-03-02T10:59:59.500Z';
const LOST = 'visits that only memory held are lost: neither the database nor the disk took them';
const KEPT = 'visits stay in the spool until the next start: the database did not take them';
/** A tenth of a second more than closing takes at least. */
const CLOSE_MS = 1_100;

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

test('when the spool is full visits are served but not counted, and the log says how many', async () => {
  const { id } = await host.code(ownerId);
  const { log, lines } = hearLog();
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder({
    ...host.deps,
    log,
    visits: { ...host.deps.visits, spoolBytes: 2_000 },
  });
  for (let n = 0; n < 40; n += 1) await recorder.record(visitOf(id, AT));
  const bytes = spool.spoolFiles().reduce((sum, path) => sum + statSync(path).size, 0);
  expect(bytes).toBeLessThanOrEqual(2_000);
  broken.set('none');
  await recorder.close();
  const [counted] = (await readCode(host.db, id)).totals;
  expect(counted?.scans).toBeGreaterThan(3);
  expect(counted?.scans).toBeLessThan(40);
  const reported = lines.filter(({ msg }) => msg.startsWith('the spool is full'));
  // The first at once, the others in one line.
  const left = 40 - (counted?.scans ?? 0);
  expect(reported.map(({ visits }) => visits)).toEqual([1, left - 1]);
  expect(recorder.lostVisits()).toBe(left);
});

test('when the disk fails visits are served, kept in memory and counted', async () => {
  const { id } = await host.code(ownerId);
  const place = `${host.deps.visits.folder}.file`;
  writeFileSync(place, 'a file where a folder should be');
  const folder = join(place, 'none');
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder({ ...host.deps, visits: { ...host.deps.visits, folder } });
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
  const recorder = new VisitRecorder({ ...host.deps, log, visits, db: { ...host.db, query } });
  await recorder.record(visitOf(id, AT));
  // Also looks for batches in memory.
  await recorder.claimStale(0);
  refuse(new Error('Connection terminated unexpectedly'));
  await recorder.close();
  expect(await spool.scansOf(id)).toBe(1);
  expect(lines.filter(({ msg }) => msg.startsWith('the spool is full'))).toEqual([]);
  rmSync(place);
});

test('a partial write to disk loses no visit', async () => {
  const { id } = await host.code(ownerId);
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder(host.deps);
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
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(id, AT));
  const sync = vi
    .spyOn(await fileHandlePrototype(), 'datasync')
    .mockRejectedValue(new Error('EIO: i/o error'));
  await Promise.all(Array.from({ length: 2_500 }, () => recorder.record(visitOf(id, AT))));
  sync.mockRestore();
  await recorder.record(visitOf(id, AT));
  await expect.poll(() => spool.readSpool().split(id).length - 1).toBe(2_502);
  // As if this process had ended here.
  await spool.startAgain();
  expect(await spool.scansOf(id)).toBe(2_502);
  await recorder.close();
  expect(await spool.scansOf(id)).toBe(2_502);
});

test('batches that the disk refused are written when the host stops without its database, and no file stays open', async () => {
  const { id } = await host.code(ownerId);
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(id, AT));
  // The file with the salts of visitors may still be open.
  await expect.poll(spool.openFiles).toHaveLength(1);
  for (const call of ['datasync', 'sync'] as const) {
    const failing = vi
      .spyOn(await fileHandlePrototype(), call)
      .mockRejectedValueOnce(new Error('EIO: i/o error'));
    await recorder.record(visitOf(id, AT));
    expect(failing).toHaveBeenCalled();
  }
  vi.restoreAllMocks();
  await recorder.close();
  expect(spool.openFiles()).toEqual([]);
  await spool.startAgain();
  expect(await spool.scansOf(id)).toBe(3);
}, 15_000);

test('batches queued behind one that could not be written do not overtake it', async () => {
  const { id } = await host.code(ownerId);
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder(host.deps);
  await recorder.record(visitOf(id, AT));
  vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValueOnce(new Error('EIO: i/o error'));
  await Promise.all(Array.from({ length: 2_500 }, () => recorder.record(visitOf(id, AT))));
  vi.restoreAllMocks();
  broken.set('none');
  await recorder.close();
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 2_501, clicks: 0, others: 0 }]);
});

test.each([
  ['and the disk', true, { kept: 2, lost: 3, level: 50, msg: LOST }],
  ['but not the disk', false, { kept: 5, lost: 0, level: 40, msg: KEPT }],
])(
  'the last line of a host that stops without its database %s says how many visits are lost and kept',
  async (_, isDiskDown, reported) => {
    const { id } = await host.code(ownerId);
    const { log, lines } = hearLog();
    broken.set('down', 'visits_insert');
    const recorder = new VisitRecorder({ ...host.deps, log });
    for (let n = 0; n < 2; n += 1) await recorder.record(visitOf(id, AT));
    if (isDiskDown)
      vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValue(new Error('EIO: i/o error'));
    await Promise.all(Array.from({ length: 3 }, () => recorder.record(visitOf(id, AT))));
    await recorder.close(CLOSE_MS);
    vi.restoreAllMocks();
    expect(lines.filter(({ msg }) => msg === LOST || msg === KEPT)).toEqual([
      expect.objectContaining(reported),
    ]);
    await spool.startAgain();
    expect(await spool.scansOf(id)).toBe(reported.kept);
  },
);

test('visits that a hanging disk has not taken are lost when the host stops without its database, and it says so', async () => {
  const { id } = await host.code(ownerId);
  const { log, lines } = hearLog();
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder({ ...host.deps, log });
  const syncing: (() => void)[] = [];
  vi.spyOn(await fileHandlePrototype(), 'datasync').mockImplementation(
    () => new Promise<void>((done) => syncing.push(done)),
  );
  // Acknowledged after two seconds without the disk.
  await Promise.all(Array.from({ length: 3 }, () => recorder.record(visitOf(id, AT))));
  const answered = () => lines.filter(({ msg }) => msg.startsWith('the disk is slow'));
  expect(answered()).toEqual([expect.objectContaining({ visits: expect.any(Number), level: 50 })]);
  await recorder.close(CLOSE_MS);
  vi.restoreAllMocks();
  for (const done of syncing) done();
  expect(answered().reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(3);
  expect(lines.filter(({ msg }) => msg === LOST)).toEqual([expect.objectContaining({ kept: 0, lost: 3 })]);
});

test('a sent file that cannot be removed does not block anything', async () => {
  const { id } = await host.code(ownerId);
  const { log, lines } = hearLog();
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  broken.set('down', 'visits_insert');
  const recorder = new VisitRecorder({ ...host.deps, log, visits: { ...host.deps.visits, folder } });
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
  await spool.leave(id, 1);
  const sent: unknown[] = [];
  const query: TestHost['db']['query'] = (statement) => {
    if (statement.name === 'visits_insert') sent.push(statement);
    return host.db.query(statement);
  };
  vi.spyOn(files, 'rm').mockRejectedValue(new Error('EACCES: permission denied'));
  syncBuiltinESMExports();
  const recorder = new VisitRecorder({ ...host.deps, db: { ...host.db, query } });
  for (let time = 0; time < 3; time += 1) {
    await recorder.claimStale(0);
    await recorder.idle();
  }
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect(sent).toHaveLength(1);
  expect(await spool.scansOf(id)).toBe(1);
  await recorder.close();
});

test('when the spool is full a visit is served, and counted once the slow database has committed it', async () => {
  const { id } = await host.code(ownerId);
  const { log, lines } = hearLog();
  const visits = { ...host.deps.visits, folder: `${host.deps.visits.folder}.full`, spoolBytes: 100 };
  const recorder = new VisitRecorder({ ...host.deps, log, visits });
  broken.set('stuck', 'visits_insert');
  await recorder.record(visitOf(id, AT));
  expect(readdirSync(visits.folder)).toEqual(['salts.json']);
  broken.set('none');
  await recorder.close();
  expect((await readCode(host.db, id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
  expect(lines.filter(({ msg }) => msg.startsWith('the spool is full'))).toEqual([]);
  rmSync(visits.folder, { recursive: true });
});
