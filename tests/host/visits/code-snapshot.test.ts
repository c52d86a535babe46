import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CodeSnapshot } from '#host/visits/resolve/snapshot';
import { hearLog } from './spool-fixture';

const WEEK_MS = 7 * 24 * 3_600_000;

let folder: string;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const path = () => join(folder, 'codes.log');

/** A snapshot with the codes in memory that it was loaded into. */
function open() {
  const codes = new Map<string, string>();
  const { log, lines } = hearLog();
  const memory = {
    slugs: () => [...codes.keys()],
    set: (slug: string, code: string) => codes.set(slug, code),
    delete: (slug: string) => codes.delete(slug),
    clear: () => codes.clear(),
    peek: (slug: string) => codes.get(slug) ?? null,
  };
  const snapshot = new CodeSnapshot(
    { visits: { folder, spoolBytes: 0, knownCodes: 0 }, log },
    memory as ConstructorParameters<typeof CodeSnapshot>[1],
  );
  snapshot.load();
  const put = (slug: string, code: string) => {
    codes.set(slug, code);
    snapshot.put(slug, code);
  };
  const remove = (slug: string) => {
    codes.delete(slug);
    snapshot.put(slug, null);
  };
  /** Lets the snapshot write, until the file ends with the line of that slug or with a confirmation. */
  const flush = async (last: string) => {
    vi.advanceTimersByTime(1_000);
    const hasEnded = () =>
      existsSync(path()) && new RegExp(` ${last}[^\n]*\n$`).test(readFileSync(path(), 'utf8'));
    await expect.poll(hasEnded).toBe(true);
  };
  return { codes, lines, put, remove, flush, confirm: () => snapshot.confirm() };
}

test('a snapshot larger than a chunk is read as it was written, with what was added and removed later', async () => {
  const first = open();
  // Lines of all lengths, so that chunks end at any place of one.
  for (let n = 0; n < 500; n += 1) first.put(`SLUG${n}`, `${'ü'.repeat(n)}\n ${n}`);
  first.confirm();
  await first.flush('@');
  first.put('LATER', 'later');
  first.put('SLUG8', 'changed');
  first.remove('SLUG7');
  await first.flush('SLUG7');
  expect(statSync(path()).size).toBeGreaterThan(3 * 65_536);
  expect(open().codes).toEqual(first.codes);
});

test('codes that change while others are written are written next', async () => {
  const first = open();
  first.put('FIRST', 'first');
  vi.advanceTimersByTime(1_000);
  first.put('SECOND', 'second');
  first.confirm();
  await first.flush('FIRST');
  await first.flush('@');
  expect(open().codes).toEqual(first.codes);
});

const confirmations = () =>
  new Set([...readFileSync(path(), 'utf8').matchAll(/ @(\d+)/g)].map(([, time]) => Number(time)));

test('a snapshot is confirmed once a minute, and not used a week after that', async () => {
  const first = open();
  first.put('CODE', 'code');
  first.confirm();
  first.confirm();
  vi.advanceTimersByTime(59_999);
  first.confirm();
  await first.flush('@');
  expect(confirmations().size).toBe(1);
  first.confirm();
  vi.advanceTimersByTime(1_000);
  await expect.poll(() => confirmations().size).toBe(2);
  const confirmedAt = Math.max(...confirmations());
  vi.setSystemTime(confirmedAt + WEEK_MS);
  expect(open().codes.size).toBe(1);
  vi.setSystemTime(confirmedAt + WEEK_MS + 1);
  expect(open().codes.size).toBe(0);
});

test('a file of which most lines are superseded is rewritten', async () => {
  const first = open();
  first.put('KEPT', 'kept');
  first.confirm();
  await first.flush('@');
  for (let n = 0; n <= 10_000; n += 1) first.put('BUSY', `${n}`);
  await first.flush('BUSY');
  const full = statSync(path()).size;
  first.put('LAST', 'last');
  await first.flush('LAST');
  expect(statSync(path()).size).toBeLessThan(full / 1_000);
  expect(open().codes).toEqual(first.codes);
});

test('damaged lines are counted, and what an ended process left is removed, but not what a running one writes', async () => {
  const first = open();
  for (const slug of ['ONE', 'TWO', 'THREE']) first.put(slug, slug);
  first.confirm();
  await first.flush('@');
  writeFileSync(
    path(),
    readFileSync(path(), 'utf8').replaceAll(' ONE ', ' 0NE ').replaceAll(' TWO ', ' TW0 '),
  );
  const [left, current] = [`${path()}.left.part`, `${path()}.current.part`];
  for (const part of [left, current]) writeFileSync(part, '');
  utimesSync(left, Date.now() / 1_000 - 601, Date.now() / 1_000 - 601);
  const next = open();
  expect(next.codes).toEqual(new Map([['THREE', 'THREE']]));
  // The first time, lines are written twice: with the whole file, and after it.
  expect(next.lines).toContainEqual(expect.objectContaining({ lines: 4 }));
  expect([existsSync(left), existsSync(current)]).toEqual([false, true]);
});
