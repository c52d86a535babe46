import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Spool } from '#host/visits/spool/spool';
import {
  answer,
  fileHandlePrototype,
  hearLog,
  openStandaloneSpool,
  sendAll,
  spoolFilesIn,
} from './spool-fixture';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `visit ${from + n}`);

async function answerAll(spool: Spool, visits: string[]): Promise<void> {
  for (const name of visits) await answer(spool, name);
}

/** The disk takes nothing, neither new files nor more bytes. */
async function breakDisk(): Promise<void> {
  vi.spyOn(await fileHandlePrototype(), 'datasync').mockRejectedValue(new Error('EIO: i/o error'));
}

test('the visits of an outage of the disk have one lane, and are sent from memory by the thousand', async () => {
  const { log, lines } = hearLog();
  const spool = openStandaloneSpool(folder, log);
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
  const spool = openStandaloneSpool(folder);
  await breakDisk();
  await answerAll(spool, names(0, 3));
  vi.restoreAllMocks();
  await vi.advanceTimersByTimeAsync(999);
  expect(spool.left()).toEqual({ kept: 0, unwritten: 3 });
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitUntil(() => spool.left().unwritten === 0, { timeout: 15_000 });
  expect(spool.left()).toEqual({ kept: 3, unwritten: 0 });
  const written = spoolFilesIn(folder).map((path) => readFileSync(path, 'utf8'));
  expect(written.join('').split('\n').filter(Boolean)).toHaveLength(3);
  vi.useRealTimers();
  await spool.close();
});

test('the disk is tried again and again until it takes what memory holds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const spool = openStandaloneSpool(folder);
  await breakDisk();
  await answer(spool, 'first');
  const sync = vi.mocked((await fileHandlePrototype()).datasync);
  // A second that finds the last attempt still underway begins none.
  for (const tries of [2, 3, 4])
    await vi.waitUntil(
      async () => {
        await vi.advanceTimersByTimeAsync(1_000);
        return sync.mock.calls.length >= tries;
      },
      { timeout: 15_000 },
    );
  vi.restoreAllMocks();
  vi.useRealTimers();
  await spool.close();
  expect(spool.left()).toEqual({ kept: 1, unwritten: 0 });
});

test('nothing overtakes what failed, before, while or after the disk heals, and each visit is sent once', async () => {
  const [killed, next] = [openStandaloneSpool(folder), openStandaloneSpool(folder)];
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
  await vi.waitUntil(() => killed.left().unwritten === 0, { timeout: 15_000 });
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
  const spool = openStandaloneSpool(folder);
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
