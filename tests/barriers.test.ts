import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { BARRIERS } from '../e2e/barriers/list';

test('every seeded barrier can still be planted: what it replaces stands once in its file', async () => {
  const counted = await Promise.all(
    BARRIERS.map(async ({ name, file, from }) => {
      const source = await readFile(file, 'utf8').catch(() => '');
      return { name, count: source.split(from).length - 1 };
    }),
  );
  expect(counted.filter(({ count }) => count !== 1)).toEqual([]);
});
