import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = [
  ...readFileSync('docs/security/api-top-10.md', 'utf8').matchAll(/^\| API(\d+) \|.*\| (.*) \|$/gm),
];

test('every risk of the OWASP API Security Top 10 is listed once, with tests that exist', () => {
  expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const [, number, tests = ''] of rows) {
    const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect([number, paths.length > 0, paths.filter((path) => !existsSync(path))]).toEqual([number, true, []]);
  }
});
