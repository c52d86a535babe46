import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#host/db/client';
import { createNotifier, VISITS_CHANNEL } from '#host/visits/count/notifier';
import { hearLog } from './spool-fixture';

let sent: string[];
let isDown: boolean;
let lines: ReturnType<typeof hearLog>['lines'];
let notifier: ReturnType<typeof createNotifier>;

beforeEach(() => {
  vi.useFakeTimers();
  [sent, isDown] = [[], false];
  const query = (async ({ values: [channel, payload] }: { values: string[] }) => {
    if (isDown) throw new Error('connect ECONNREFUSED');
    expect(channel).toBe(VISITS_CHANNEL);
    sent.push(payload ?? '');
    return [];
  }) as unknown as Database['query'];
  const { log, lines: heard } = hearLog();
  lines = heard;
  notifier = createNotifier({ db: { query }, log } as Parameters<typeof createNotifier>[0]);
});
afterEach(() => vi.useRealTimers());

const codes = (count: number) => Array.from({ length: count }, (_, n) => ({ codeId: `code ${n}` }));

test('codes are named once together, a quarter of a second after the first', async () => {
  notifier.notify([{ codeId: 'a' }, { codeId: null }, { codeId: 'b' }]);
  await vi.advanceTimersByTimeAsync(200);
  notifier.notify([{ codeId: 'a' }, { codeId: 'c' }]);
  await vi.advanceTimersByTimeAsync(49);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual(['a,b,c']);
  // Nothing of it is named again.
  notifier.notify([{ codeId: 'd' }]);
  await vi.advanceTimersByTimeAsync(250);
  expect(sent).toEqual(['a,b,c', 'd']);
});

test('180 codes fit into a payload of PostgreSQL, and more are not named', async () => {
  const ids = Array.from({ length: 180 }, () => ({ codeId: crypto.randomUUID() }));
  notifier.notify(ids);
  await vi.advanceTimersByTimeAsync(250);
  expect(sent).toEqual([ids.map(({ codeId }) => codeId).join(',')]);
  expect(Buffer.byteLength(sent[0] ?? '')).toBeLessThan(8_000);
  notifier.notify(codes(181));
  await vi.advanceTimersByTimeAsync(250);
  expect(sent.slice(1)).toEqual(['*']);
});

test('visits without a code notify nobody', async () => {
  notifier.notify([{ codeId: null }]);
  expect(vi.getTimerCount()).toBe(0);
  await notifier.close();
  expect(sent).toEqual([]);
});

test('what waits is sent at the end, and a failure is logged and not repeated', async () => {
  notifier.notify(codes(2));
  await notifier.close();
  expect(sent).toEqual(['code 0,code 1']);
  expect(vi.getTimerCount()).toBe(0);
  isDown = true;
  notifier.notify(codes(1));
  await vi.advanceTimersByTimeAsync(250);
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'live listeners were not notified of new figures' }),
  ]);
  isDown = false;
  notifier.notify([{ codeId: 'later' }]);
  await vi.advanceTimersByTimeAsync(250);
  expect(sent).toEqual(['code 0,code 1', 'later']);
});
