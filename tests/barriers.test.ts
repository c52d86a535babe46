import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { BARRIERS } from '../e2e/barriers/list';

test('every barrier can still be planted: its text occurs exactly once in its file', async () => {
  const counted = await Promise.all(
    BARRIERS.map(async ({ name, file, from }) => {
      const source = await readFile(file, 'utf8').catch(() => '');
      return { name, count: source.split(from).length - 1 };
    }),
  );
  expect(counted.filter(({ count }) => count !== 1)).toEqual([]);
});
