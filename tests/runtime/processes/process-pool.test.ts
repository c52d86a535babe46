import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { PoolRefusal, TaskFailed, TaskKilled } from '#runtime/processes/pool-errors';
import { type PoolSettings, ProcessPool } from '#runtime/processes/process-pool';
import type { TestTasks } from './pool-tasks';

const MEGABYTE = 1024 * 1024;
const SETTINGS: PoolSettings = {
  built: '',
  source: 'tests/runtime/processes/pool-tasks.ts',
  processes: 2,
  memoryBytes: 400 * MEGABYTE,
  retireBytes: 300 * MEGABYTE,
  queue: { perOwner: 3, perNetwork: 5, total: 6 },
  waitMs: 60_000,
  errors: [RangeError],
};
/** Limit for tasks that must not time out even on a slow machine. */
const PLENTY_MS = 60_000;

let pool: ProcessPool<TestTasks>;
const pools: ProcessPool<TestTasks>[] = [];

function open(settings: Partial<PoolSettings> = {}) {
  const opened = new ProcessPool<TestTasks>({ ...SETTINGS, ...settings });
  pools.push(opened);
  return opened;
}

beforeEach(() => {
  pool = open();
});
afterEach(() => {
  for (const opened of pools.splice(0)) opened.close();
});

const by = (network: string, account?: string, signal?: AbortSignal) => ({
  client: { networks: [network], account },
  cpuMs: PLENTY_MS,
  timeoutMs: PLENTY_MS,
  signal,
});

test('results and errors keep their types', async () => {
  const value = { bytes: new Uint8Array([1, 2, 3]), at: new Date(0), none: undefined };
  expect(await pool.run('echo', value, by('a'))).toEqual(value);
  const failed = pool.run('fail', 'too small', by('a'));
  await expect(failed).rejects.toThrow(RangeError);
  await expect(failed).rejects.toThrow('too small');
  const unknown = await open({ errors: [] })
    .run('fail', 'too large', by('a'))
    .catch((error: unknown) => error);
  expect(unknown).toBeInstanceOf(TaskFailed);
  expect(unknown).toMatchObject({ name: 'RangeError', message: 'too large' });
});

test('an input that cannot be sent is an error of its caller alone', async () => {
  const alone = open({ processes: 1 });
  await expect(alone.run('echo', () => 'a function', by('a'))).rejects.toThrow('could not be cloned');
  expect(await alone.run('echo', 'text', by('a'))).toBe('text');
});

test('a worker does not inherit the environment, which contains secrets', async () => {
  vi.stubEnv('SESSION_SECRET', 'nobody may know this');
  const known = await pool.run('environment', undefined, by('a'));
  expect(known).toContain('NODE_ENV');
  expect(known).not.toContain('SESSION_SECRET');
  expect(known).not.toContain('PATH');
});

test('a task that never ends is killed, and the next one gets a process', async () => {
  const first = await pool.run('pid', undefined, by('a'));
  for (const [limits, reason] of [
    [{ cpuMs: 100 }, 'time'],
    [{ timeoutMs: 100 }, 'timeout'],
  ] as const) {
    const endless = pool.run('loop', undefined, { ...by('a'), ...limits });
    await expect(endless).rejects.toMatchObject({ name: 'TaskKilled', reason });
  }
  expect(await pool.run('pid', undefined, by('a'))).not.toBe(first);
});

test('a task that ends just after its processor time is killed too, also the first of a process', async () => {
  for (let n = 0; n < 4; n += 1) {
    const brief = pool.run('spin', 12, { ...by('a'), cpuMs: 5 });
    await expect(brief).rejects.toMatchObject({ name: 'TaskKilled', reason: 'time' });
  }
  expect(await pool.run('spin', 1, by('a'))).toBe('done');
});

test('a task that uses too much memory is killed, even while it blocks its thread', async () => {
  const hoard = pool.run('hoard', undefined, by('a'));
  await expect(hoard).rejects.toMatchObject({ name: 'TaskKilled', reason: 'memory' });
  await expect(pool.run('crash', undefined, by('a'))).rejects.toThrow(TaskKilled);
  expect(await pool.run('echo', 'still there', by('a'))).toBe('still there');
});

test('each owner runs one task at a time, so that others find a free process', async () => {
  const endless = [1, 2].map(() => pool.run('wait', PLENTY_MS, by('a', 'ann')));
  for (const one of endless) one.catch(() => undefined);
  expect(await pool.run('echo', 'free', by('b'))).toBe('free');
  expect(await pool.run('echo', 'free', by('a', 'bob'))).toBe('free');
});

test('strangers leave one process free, and come after accounts', async () => {
  for (const network of ['a', 'b', 'c']) pool.run('wait', PLENTY_MS, by(network)).catch(() => undefined);
  expect(await pool.run('echo', 'free', by('d', 'ann'))).toBe('free');
  expect(await pool.run('echo', 'free', by('d', 'bob'))).toBe('free');

  const alone = open({ processes: 1 });
  const order: string[] = [];
  const run = (network: string, account?: string) =>
    alone.run('echo', 1, by(network, account)).then(() => order.push(account ?? network));
  await Promise.all([run('e'), run('f'), run('g', 'cy'), run('h'), run('g', 'di')]);
  expect(order).toEqual(['cy', 'di', 'e', 'f', 'h']);
});

test('strangers whose network has used its processor time of a minute come after others', async () => {
  const alone = open({ processes: 1, strangersMsPerMinute: 50 });
  await alone.run('spin', 80, by('heavy'));
  const order: string[] = [];
  const run = (network: string, ms: number) =>
    alone.run('spin', ms, by(network)).then(() => order.push(network));
  await Promise.all([run('first', 20), run('heavy', 1), run('light', 1), run('other', 1)]);
  expect(order).toEqual(['first', 'light', 'other', 'heavy']);
});

test('the processor time of a task that was killed counts too', async () => {
  const alone = open({ processes: 1, strangersMsPerMinute: 50 });
  await expect(alone.run('loop', undefined, { ...by('heavy'), cpuMs: 60 })).rejects.toThrow(TaskKilled);
  const order: string[] = [];
  const run = (network: string) => alone.run('echo', 1, by(network)).then(() => order.push(network));
  await Promise.all([run('first'), run('heavy'), run('light')]);
  expect(order).toEqual(['first', 'light', 'heavy']);
});

test('at most two processes run', async () => {
  const owners = ['a', 'b', 'c', 'd', 'e'];
  const pids = await Promise.all(owners.map((owner) => pool.run('pid', undefined, by(owner))));
  expect(new Set(pids).size).toBeLessThanOrEqual(2);
});

test('when the queue is full, the longest part of it gives way, and strangers before accounts', async () => {
  const waiting = [by('a', 'ann'), by('a', 'ann'), by('b'), by('b'), by('b'), by('c', 'cy')].map((who) =>
    pool.run('echo', 1, who),
  );
  const last = expect(waiting[4]).rejects.toMatchObject({ reason: 'busy', retryAfterSeconds: 10 });
  const added = [pool.run('echo', 1, by('d'))];
  await last;
  const next = expect(waiting[3]).rejects.toThrow(PoolRefusal);
  added.push(pool.run('echo', 1, by('d', 'di')));
  await next;
  expect(pool.load()).toMatchObject({ waiting: 6, refused: 2 });
  expect(await Promise.all([...waiting.slice(0, 3), waiting[5], ...added])).toEqual([1, 1, 1, 1, 1, 1]);
});

test('a client with too many waiting tasks is refused, and so is everybody once the queue is full', async () => {
  // All of these wait until the first process is ready.
  const waiting = [by('a', 'ann'), by('a', 'ann'), by('a', 'ann')].map((who) => pool.run('echo', 1, who));
  const refused = { name: 'PoolRefusal', reason: 'client', retryAfterSeconds: 5 };
  await expect(pool.run('echo', 1, by('b', 'ann'))).rejects.toMatchObject(refused);
  waiting.push(pool.run('echo', 1, by('a', 'bob')), pool.run('echo', 1, by('a', 'bob')));
  await expect(pool.run('echo', 1, by('a', 'cy'))).rejects.toMatchObject(refused);
  waiting.push(pool.run('echo', 1, by('b')));
  const full = { name: 'PoolRefusal', reason: 'busy', retryAfterSeconds: 10 };
  await expect(pool.run('echo', 1, by('c'))).rejects.toMatchObject(full);
  expect(pool.load()).toEqual({ busy: 0, processes: 2, waiting: 6, refused: 3, killed: 0 });
  expect(await Promise.all(waiting)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await pool.run('echo', 2, by('c'))).toBe(2);
  expect(pool.load()).toMatchObject({ waiting: 0, refused: 3 });
});

test('a task that waits too long is refused', async () => {
  const impatient = open({ waitMs: 1 });
  await expect(impatient.run('echo', 1, by('a'))).rejects.toThrow(PoolRefusal);
});

test('an aborted task leaves the queue', async () => {
  const endless = pool.run('wait', PLENTY_MS, by('a'));
  endless.catch(() => undefined);
  const leaving = new AbortController();
  const waiting = [1, 2].map(() => pool.run('echo', 1, by('a', undefined, leaving.signal)));
  leaving.abort(new Error('gone'));
  for (const one of waiting) await expect(one).rejects.toThrow('gone');
  await expect(pool.run('echo', 1, by('a', undefined, leaving.signal))).rejects.toThrow('gone');
  // The aborted tasks' places in the queue are free again.
  const others = [1, 2].map(() => pool.run('echo', 1, by('a')));
  for (const one of others) one.catch(() => undefined);
  await expect(pool.run('echo', 1, by('b', 'bob'))).resolves.toBe(1);
});

test('a worker that cannot start rejects the task instead of leaving it waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'ends.ts');
  writeFileSync(source, 'process.exit(1);');
  const broken = open({ source });
  await expect(broken.run('echo', 1, by('a'))).rejects.toThrow('did not start');
});

test('failing to replace an ended process takes nothing down', async () => {
  const settings = { ...SETTINGS, processes: 1 };
  const small = new ProcessPool<TestTasks>(settings);
  pools.push(small);
  await small.run('echo', 1, by('a'));
  // No program with this name can even be bundled.
  settings.source = '\0';
  const crash = expect(small.run('crash', undefined, by('a'))).rejects.toThrow(TaskKilled);
  const waiting = expect(small.run('echo', 1, by('b'))).rejects.toThrow('Build failed');
  await Promise.all([crash, waiting]);
  settings.source = SETTINGS.source;
  expect(await small.run('echo', 2, by('a'))).toBe(2);
});

test('a process with too much memory after a task is replaced, and an idle one is stopped', async () => {
  const retiring = open({ retireBytes: 1 });
  const first = await retiring.run('pid', undefined, by('a'));
  expect(await retiring.run('pid', undefined, by('a'))).not.toBe(first);
  const shortLived = open({ idleMs: 1_500 });
  const pid = (await shortLived.run('pid', undefined, { ...by('a'), timeoutMs: 1_500 })) as number;
  // Neither the time of the task before nor that without a task counts for this one.
  await shortLived.run('wait', 2_000, by('a'));
  expect(await shortLived.run('pid', undefined, by('a'))).toBe(pid);
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
