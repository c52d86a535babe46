import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
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
import { writeLine } from '#host/visits/spool/lines';
import type { Spool } from '#host/visits/spool/spool';
import {
  answer,
  batchNamed,
  fillDisk,
  hearLog,
  openStandaloneSpool,
  reserveSpace,
  sendAll,
  sendNext,
  setAhead,
  spoolFilesIn,
} from './spool-fixture';

/** A quarter of the limit of these spools. */
const RESERVED_BYTES = 256 * 1024;
const DEAD = `spool.elsewhere.1.${randomUUID()}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `visit ${from + n}`);
const reservedFiles = () => readdirSync(folder).filter((name) => name.endsWith('.reserved'));

async function answerAll(spool: Spool, visits: string[]): Promise<void> {
  for (const name of visits) await answer(spool, name);
}

test('space is reserved once, really allocated and private, and freed when the spool is closed', async () => {
  const spool = openStandaloneSpool(folder);
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
  const spool = openStandaloneSpool(folder, log);
  await spool.claimStale();
  const reported = () => lines.filter(({ msg }) => msg === 'no disk space is reserved for visits').length;
  await expect.poll(() => reservedFiles().length + reported()).toBe(1);
  expect(reservedFiles()).toHaveLength(reserved);
  await spool.close();
});

test('on a full disk visits go to the reserved space, and the next process sends them', async () => {
  const { log, lines } = hearLog();
  const [killed, next] = [openStandaloneSpool(folder, log), openStandaloneSpool(folder, log)];
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
  const [killed, next] = [openStandaloneSpool(folder), openStandaloneSpool(folder, log)];
  await reserveSpace(killed);
  const [left] = reservedFiles();
  await next.claimStale();
  expect(await sendAll(next)).toEqual([]);
  expect(readdirSync(folder)).not.toContain(left);
  expect(lines).toEqual([]);
  await Promise.all([next.close(), killed.close()]);
});

test('a process whose reserved space others removed keeps visits in memory', async () => {
  const [writer, other] = [openStandaloneSpool(folder), openStandaloneSpool(folder)];
  await reserveSpace(writer);
  await other.claimStale();
  expect(await sendAll(other)).toEqual([]);
  await fillDisk();
  await answer(writer, 'first');
  expect(writer.left()).toEqual({ kept: 0, unwritten: 1 });
  vi.restoreAllMocks();
  await Promise.all([writer.close(), other.close()]);
});

test('reserved space whose new name the disk does not take stays reserved', async () => {
  const spool = openStandaloneSpool(folder);
  await reserveSpace(spool);
  await fillDisk();
  const { rename } = files;
  // Hosts of other tests, which have ended, may still rename files in this process.
  const isOwn = (path: unknown) => String(path).startsWith(folder);
  let isRefused = false;
  vi.spyOn(files, 'rename').mockImplementation(async (from, to) => {
    if (isRefused || !isOwn(from)) return rename(from, to);
    isRefused = true;
    throw new Error('EIO: i/o error');
  });
  syncBuiltinESMExports();
  await answer(spool, 'first');
  expect(spool.left()).toEqual({ kept: 0, unwritten: 1 });
  expect(reservedFiles()).toHaveLength(1);
  await answer(spool, 'second');
  expect(spool.left()).toEqual({ kept: 2, unwritten: 0 });
  expect(reservedFiles()).toEqual([]);
  await spool.close();
});

test('a process goes on in reserved space after another has taken over its file', async () => {
  const [writer, other] = [openStandaloneSpool(folder), openStandaloneSpool(folder)];
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
])(
  'reserved space that ends %s, as a crash leaves it, is read up to there',
  async (_, write, sent, reported) => {
    const path = join(folder, `${DEAD}.1.log`);
    writeFileSync(path, write(writeLine({ lane: randomUUID(), number: 1, ...batchNamed('first') })));
    truncateSync(path, RESERVED_BYTES);
    const { log, lines } = hearLog();
    const spool = openStandaloneSpool(folder, log);
    await spool.claimStale();
    setAhead(31_000);
    await spool.claimStale();
    expect(await sendAll(spool)).toEqual(sent);
    expect(readdirSync(folder)).not.toContain(`${DEAD}.1.log`);
    const faults = lines.filter(({ msg }) => !msg.includes('earlier run'));
    expect(faults.map(({ msg }) => msg)).toEqual(reported);
    await spool.close();
  },
);

test('zeros between parts of a write that a power cut interrupted do not hide what was acknowledged', async () => {
  const path = join(folder, `${DEAD}.1.log`);
  const lane = randomUUID();
  writeFileSync(path, writeLine({ lane, number: 1, ...batchNamed('first') }));
  const { size } = statSync(path);
  truncateSync(path, size + 4_096);
  appendFileSync(path, `behind${writeLine({ lane, number: 2, ...batchNamed('second') })}`);
  truncateSync(path, RESERVED_BYTES);
  const spool = openStandaloneSpool(folder);
  await spool.claimStale();
  setAhead(31_000);
  await spool.claimStale();
  expect(await sendAll(spool)).toEqual(['first']);
  await spool.close();
});
