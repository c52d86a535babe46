import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBackgroundWork } from '#host/http/background';

const EVERY_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Background work whose runs the test finishes or fails. */
function startWork() {
  const lines: { work?: string; msg: string }[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const runs: { finish(): void; fail(error: Error): void }[] = [];
  const run = () => new Promise<void>((finish, fail) => runs.push({ finish, fail }));
  const deps = { clock: { now: () => new Date(0) }, log };
  const stop = startBackgroundWork(deps, [{ name: 'slow', everyMs: EVERY_MS, run }]);
  return { runs, lines, stop };
}

const settled = () => new Promise<void>((later) => setImmediate(later));

test('work starts at once, and runs never overlap', async () => {
  const { runs, stop } = startWork();
  expect(runs).toHaveLength(1);
  vi.advanceTimersByTime(3 * EVERY_MS);
  expect(runs).toHaveLength(1);
  runs[0]?.finish();
  await settled();
  expect(runs).toHaveLength(1);
  vi.advanceTimersByTime(EVERY_MS);
  expect(runs).toHaveLength(2);
  vi.advanceTimersByTime(EVERY_MS);
  expect(runs).toHaveLength(2);
  runs[1]?.finish();
  await stop();
});

test('failed work is logged by name and runs again when it is due', async () => {
  const { runs, lines, stop } = startWork();
  runs[0]?.fail(new Error('no'));
  await settled();
  expect(lines).toMatchObject([{ work: 'slow', msg: 'background work failed' }]);
  vi.advanceTimersByTime(EVERY_MS);
  expect(runs).toHaveLength(2);
  runs[1]?.finish();
  await stop();
});

test('each work that fails is logged every ten seconds only, with the number of failures', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const lines: { work: string; failures: number }[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const run = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const stop = startBackgroundWork({ clock: { now: () => new Date(0) }, log }, [
    { name: 'one', everyMs: 500, run },
    { name: 'other', everyMs: 1_000, run },
  ]);
  for (let passed = 0; passed < 10_000; passed += 500) {
    await settled();
    expect(lines.map(({ work }) => work)).toEqual(['one', 'other']);
    vi.advanceTimersByTime(500);
  }
  await settled();
  expect(lines.slice(2)).toMatchObject([
    { work: 'one', failures: 20 },
    { work: 'other', failures: 10 },
  ]);
  await stop();
});

test('slow work does not delay other work', async () => {
  const log = pino({ level: 'silent' });
  let [quick, finish] = [0, (): void => undefined];
  const stop = startBackgroundWork({ clock: { now: () => new Date(0) }, log }, [
    { name: 'slow', everyMs: EVERY_MS, run: () => new Promise<void>((done) => (finish = done)) },
    {
      name: 'quick',
      everyMs: EVERY_MS,
      run: async () => {
        quick += 1;
      },
    },
  ]);
  for (let turn = 1; turn <= 3; turn += 1) {
    expect(quick).toBe(turn);
    await settled();
    vi.advanceTimersByTime(EVERY_MS);
  }
  finish();
  await stop();
});

test('no work starts after the host has stopped', async () => {
  const { runs, stop } = startWork();
  runs[0]?.finish();
  await stop();
  vi.advanceTimersByTime(5 * EVERY_MS);
  expect(runs).toHaveLength(1);
});

test('running work is signalled to stop, and awaited', async () => {
  let finish = (): void => undefined;
  let wasToldToStop = false;
  const deps = { clock: { now: () => new Date(0) }, log: pino({ level: 'silent' }) };
  const stop = startBackgroundWork(deps, [
    {
      name: 'long',
      everyMs: 60_000,
      run: async (_now, stopping) => {
        await new Promise<void>((done) => {
          finish = done;
        });
        wasToldToStop = stopping.aborted;
      },
    },
  ]);
  let isOver = false;
  const over = stop().then(() => {
    isOver = true;
  });
  await settled();
  expect(isOver).toBe(false);
  finish();
  await over;
  expect(wasToldToStop).toBe(true);
});
