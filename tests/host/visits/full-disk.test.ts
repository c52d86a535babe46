import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Spool } from '#host/visits/spool';
import { writeLine } from '#host/visits/spool-lines';
import {
  answer,
  batchNamed,
  fileHandlePrototype,
  fillDisk,
  hearLog,
  openLoneSpool,
  reserveSpace,
  sendAll,
  sendNext,
  setAhead,
  spoolFilesIn,
} from './spool-grounds';

/** A quarter of the limit of these spools. */
const RESERVED_BYTES = 256 * 1024;
const DEAD = `spool.elsewhere.1.${randomUUID()}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `visit ${from + n}`);
const reservedFiles = () => readdirSync(folder).filter((name) => name.endsWith('.reserved'));

async function answerAll(spool: Spool, visits: string[]): Promise<void> {
  for (const name of visits) await answer(spool, name);
}

/** The disk takes nothing, neither new files nor more bytes. */
async function breakDisk(): Promise<void> {
  vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValue(new Error('EIO: i/o error'));
}

test('space is reserved once, really allocated and private, and freed when the spool is closed', async () => {
  const spool = openLoneSpool(folder);
  await reserveSpace(spool);
  const [name = ''] = reservedFiles();
  const { size, blocks, mode, ino } = statSync(join(folder, name));
  expect(size).toBe(RESERVED_BYTES);
  expect(blocks * 512).toBeGreaterThanOrEqual(RESERVED_BYTES);
  expect(mode & 0o777).toBe(0o600);
  await spool.claimStale();
  expect(statSync(join(folder, name)).ino).toBe(ino);
  await spool.close();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['as much again stays free', 2 * RESERVED_BYTES, 1],
  ['less would stay free', 2 * RESERVED_BYTES - 1, 0],
])('space is reserved if %s', async (_, free, reserved) => {
  vi.spyOn(files, 'statfs').mockResolvedValue({ bavail: free, bsize: 1 } as never);
  syncBuiltinESMExports();
  const { log, lines } = hearLog();
  const spool = openLoneSpool(folder, log);
  await spool.claimStale();
  const told = () => lines.filter(({ msg }) => msg === 'no disk space is reserved for visits').length;
  await expect.poll(() => reservedFiles().length + told()).toBe(1);
  expect(reservedFiles()).toHaveLength(reserved);
  await spool.close();
});

test('on a full disk visits go to the reserved space, and the next process sends them', async () => {
  const { log, lines } = hearLog();
  const [killed, next] = [openLoneSpool(folder, log), openLoneSpool(folder, log)];
  await reserveSpace(killed);
  await answerAll(killed, names(0, 3));
  await fillDisk();
  await answerAll(killed, names(3, 600));
  vi.restoreAllMocks();
  expect(killed.left()).toEqual({ kept: 600, unwritten: 0 });
  expect(reservedFiles()).toEqual([]);
  await next.claimStale();
  expect(await sendAll(next)).toEqual(names(0, 600));
  expect(lines.map(({ msg }) => msg)).toEqual(['the spool contains visits of an earlier run']);
  expect(lines).toEqual([
    expect.objectContaining({ bytes: expect.any(Number), msg: expect.stringContaining('earlier run') }),
  ]);
  await Promise.all([killed.close(), next.close()]);
  expect(spoolFilesIn(folder)).toEqual([]);
});

test('what is left of reserved space that a process never used is removed without a word', async () => {
  const { log, lines } = hearLog();
  const [killed, next] = [openLoneSpool(folder), openLoneSpool(folder, log)];
  await reserveSpace(killed);
  const [left] = reservedFiles();
  await next.claimStale();
  expect(await sendAll(next)).toEqual([]);
  expect(readdirSync(folder)).not.toContain(left);
  expect(lines).toEqual([]);
  await Promise.all([next.close(), killed.close()]);
});

test('a process whose reserved space others removed keeps visits in memory', async () => {
  const [writer, other] = [openLoneSpool(folder), openLoneSpool(folder)];
  await reserveSpace(writer);
  await other.claimStale();
  expect(await sendAll(other)).toEqual([]);
  await fillDisk();
  await answer(writer, 'first');
  expect(writer.left()).toEqual({ kept: 0, unwritten: 1 });
  vi.restoreAllMocks();
  await Promise.all([writer.close(), other.close()]);
});

test('a process goes on in reserved space after another has taken over its file', async () => {
  const [writer, other] = [openLoneSpool(folder), openLoneSpool(folder)];
  await reserveSpace(writer);
  await fillDisk();
  await answer(writer, 'first');
  await other.claimStale();
  await answer(writer, 'second');
  expect(await sendNext(other)).toEqual(['first']);
  await answer(writer, 'third');
  expect(await sendAll(other)).toEqual(['second', 'third']);
  vi.restoreAllMocks();
  await Promise.all([writer.close(), other.close()]);
});

test.each<[string, (line: string) => string, string[], string[]]>([
  ['before the first line', () => '', [], []],
  ['after a line', (line) => line, ['first'], []],
  [
    'within a line',
    (line) => line + line.slice(0, 40),
    ['first'],
    ['skipped the unfinished end of a spool file'],
  ],
])('reserved space that ends %s, as a crash leaves it, is read up to there', async (_, write, sent, told) => {
  const path = join(folder, `${DEAD}.1.log`);
  writeFileSync(path, write(writeLine({ lane: randomUUID(), number: 1, ...batchNamed('first') })));
  truncateSync(path, RESERVED_BYTES);
  const { log, lines } = hearLog();
  const spool = openLoneSpool(folder, log);
  await spool.claimStale();
  setAhead(31_000);
  await spool.claimStale();
  expect(await sendAll(spool)).toEqual(sent);
  expect(readdirSync(folder)).not.toContain(`${DEAD}.1.log`);
  const faults = lines.filter(({ msg }) => !msg.includes('earlier run'));
  expect(faults.map(({ msg }) => msg)).toEqual(told);
  await spool.close();
});

test('zeros between parts of a write that a power cut interrupted do not hide what was acknowledged', async () => {
  const path = join(folder, `${DEAD}.1.log`);
  const lane = randomUUID();
  writeFileSync(path, writeLine({ lane, number: 1, ...batchNamed('first') }));
  const { size } = statSync(path);
  truncateSync(path, size + 4_096);
  appendFileSync(path, `behind${writeLine({ lane, number: 2, ...batchNamed('second') })}`);
  truncateSync(path, RESERVED_BYTES);
  const spool = openLoneSpool(folder);
  await spool.claimStale();
  setAhead(31_000);
  await spool.claimStale();
  expect(await sendAll(spool)).toEqual(['first']);
  await spool.close();
});

test('the visits of an outage of the disk have one lane, and are sent from memory by the thousand', async () => {
  const { log, lines } = hearLog();
  const spool = openLoneSpool(folder, log);
  await breakDisk();
  await answerAll(spool, names(0, 20));
  await Promise.all(names(20, 1_501).map((name) => answer(spool, name)));
  expect(spool.left()).toEqual({ kept: 0, unwritten: 1_501 });
  const sizes: number[] = [];
  const lanes = new Set<string>();
  const sent: string[] = [];
  for (let chunk = await spool.next(); chunk; chunk = await spool.next()) {
    sizes.push(chunk.merged.size);
    lanes.add(chunk.merged.lane);
    sent.push(...chunk.batches.map(({ visits }) => JSON.parse(visits)[1][0][5]));
    chunk.acknowledge();
  }
  expect(sizes).toEqual([1_000, 501]);
  expect(lanes.size).toBe(1);
  expect(sent).toEqual(names(0, 1_501));
  expect(spool.left()).toEqual({ kept: 0, unwritten: 0 });
  expect(lines.filter(({ msg }) => msg.startsWith('the spool cannot be written'))).toHaveLength(1);
  await spool.close();
});

test('what only memory holds is written a second after the disk takes something again, without new visits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const spool = openLoneSpool(folder);
  await breakDisk();
  await answerAll(spool, names(0, 3));
  vi.restoreAllMocks();
  await vi.advanceTimersByTimeAsync(999);
  expect(spool.left()).toEqual({ kept: 0, unwritten: 3 });
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitUntil(() => spool.left().unwritten === 0);
  expect(spool.left()).toEqual({ kept: 3, unwritten: 0 });
  const written = spoolFilesIn(folder).map((path) => readFileSync(path, 'utf8'));
  expect(written.join('').split('\n').filter(Boolean)).toHaveLength(3);
  vi.useRealTimers();
  await spool.close();
});

test('the disk is tried every second until it takes what memory holds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const spool = openLoneSpool(folder);
  await breakDisk();
  await answer(spool, 'first');
  const sync = vi.mocked((await fileHandlePrototype()).datasync);
  for (const tries of [2, 3, 4]) {
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitUntil(() => sync.mock.calls.length === tries);
  }
  vi.restoreAllMocks();
  vi.useRealTimers();
  await spool.close();
  expect(spool.left()).toEqual({ kept: 1, unwritten: 0 });
});

test('nothing overtakes what failed, before, while or after the disk heals, and each visit is sent once', async () => {
  const [killed, next] = [openLoneSpool(folder), openLoneSpool(folder)];
  await answerAll(killed, names(0, 5));
  await breakDisk();
  await answerAll(killed, names(5, 400));
  const sync = vi.mocked((await fileHandlePrototype()).datasync);
  const late: Promise<void>[] = [];
  // These arrive during the write that succeeds again.
  sync.mockImplementation(async () => {
    vi.restoreAllMocks();
    for (const name of names(401, 404)) late.push(answer(killed, name));
  });
  await answer(killed, 'visit 400');
  await Promise.all(late);
  await answerAll(killed, names(404, 500));
  await vi.waitUntil(() => killed.left().unwritten === 0);
  await next.claimStale();
  const chunks: { lane: string; number: number; first: number }[] = [];
  const sent: string[] = [];
  for (let chunk = await next.next(); chunk; chunk = await next.next()) {
    const { lane, number } = chunk.merged;
    chunks.push({ lane, number, first: chunk.batches[0]?.number ?? 0 });
    sent.push(...chunk.batches.map(({ visits }) => JSON.parse(visits)[1][0][5]));
    chunk.acknowledge();
  }
  expect(sent.toSorted()).toEqual(names(0, 500).toSorted());
  expect(new Set(chunks.map(({ lane }) => lane)).size).toBe(2);
  const latest = new Map<string, number>();
  for (const { lane, first, number } of chunks) {
    expect(first).toBeGreaterThan(latest.get(lane) ?? 0);
    latest.set(lane, number);
  }
  await Promise.all([next.close(), killed.close()]);
});

test('a batch that is written while it is sent from memory is not sent again', async () => {
  const spool = openLoneSpool(folder);
  await breakDisk();
  await answer(spool, 'first');
  const chunk = await spool.next();
  vi.restoreAllMocks();
  await answer(spool, 'second');
  expect(spool.left()).toEqual({ kept: 2, unwritten: 0 });
  chunk?.acknowledge();
  expect(spool.left()).toEqual({ kept: 1, unwritten: 0 });
  expect(await sendAll(spool)).toEqual(['second']);
  expect(spool.left()).toEqual({ kept: 0, unwritten: 0 });
  await spool.close();
});
