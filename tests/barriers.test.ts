import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BARRIERS } from '../e2e/barriers/list';

const run = promisify(execFile);

test('every barrier can still be planted: its text occurs exactly once in its file', async () => {
  const counted = await Promise.all(
    BARRIERS.map(async ({ name, file, from }) => {
      const source = await readFile(file, 'utf8').catch(() => '');
      return { name, count: source.split(from).length - 1 };
    }),
  );
  expect(counted.filter(({ count }) => count !== 1)).toEqual([]);
});

test('every barrier names a test that exists', async () => {
  const listed = await run('npx', ['playwright', 'test', '--list'], { maxBuffer: 16 * 1024 * 1024 });
  const titles = listed.stdout.split('\n').map((line) => line.trim());
  const isThere = async ({ caughtBy: check }: (typeof BARRIERS)[number]) => {
    const title = new RegExp(check.title);
    if ('unit' in check) return title.test(await readFile(`tests/${check.unit}`, 'utf8'));
    return titles.some((line) => line.startsWith(`[${check.project}] › ${check.spec}:`) && title.test(line));
  };
  const found = await Promise.all(BARRIERS.map(isThere));
  expect(BARRIERS.filter((_, index) => !found[index]).map(({ name }) => name)).toEqual([]);
}, 60_000);
