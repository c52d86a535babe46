import { expect, test, vi } from 'vitest';
import { createBlockedHosts } from '#host/codes/blocks/blocked-hosts';
import type { Database } from '#host/db/client';

/** Reads of the table, each of which the test answers. */
function createReads() {
  const answers: { resolve: (hosts: string[]) => void; reject: (error: Error) => void }[] = [];
  const query = (() =>
    new Promise<{ host: string }[]>((resolve, reject) => {
      answers.push({ resolve: (hosts) => resolve(hosts.map((host) => ({ host }))), reject });
    })) as Database['query'];
  return { answers, blocked: createBlockedHosts({ query }) };
}

test('blocked hosts are read again after 30 seconds, and at once after a change', async () => {
  const { answers, blocked } = createReads();
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const first = blocked.read();
  answers[0]?.resolve(['bad.example']);
  expect(await first).toEqual(new Set(['bad.example']));
  now += 29_999;
  expect(await blocked.read()).toEqual(new Set(['bad.example']));
  expect(answers).toHaveLength(1);
  now += 1;
  blocked.read();
  expect(answers).toHaveLength(2);
  blocked.invalidate();
  const third = blocked.read();
  answers[2]?.resolve([]);
  expect(await third).toEqual(new Set());
});

test('a failed read is repeated, and does not discard what was read meanwhile', async () => {
  const { answers, blocked } = createReads();
  const failing = blocked.read();
  answers[0]?.reject(new Error('connect ECONNREFUSED'));
  await expect(failing).rejects.toThrow('ECONNREFUSED');
  const slow = blocked.read();
  expect(answers).toHaveLength(2);
  blocked.invalidate();
  const current = blocked.read();
  answers[2]?.resolve(['bad.example']);
  await current;
  answers[1]?.reject(new Error('connect ETIMEDOUT'));
  await expect(slow).rejects.toThrow('ETIMEDOUT');
  expect(await blocked.read()).toEqual(new Set(['bad.example']));
  expect(answers).toHaveLength(3);
});
