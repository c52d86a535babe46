import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from './support/sources';

const DECISIONS = 'docs/decisions';
const pages = listFiles()
  .filter((path) => /^(?:README|docs\/.+)\.md$/.test(path) && existsSync(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

test('every path that the documentation names, and every relative link, leads to a file', () => {
  const folders = 'app|contract|docs|host|locales|public|runtime|tests|e2e|bench|\\.ci';
  const named = new RegExp(`\`((?:${folders})/[\\w./$-]*)\``, 'g');
  // A decision may be older than the files that it names.
  const paths = pages.flatMap(({ path, text }) =>
    path.startsWith(DECISIONS) ? [] : [...text.matchAll(named)].map(([, to = '']) => to),
  );
  const links = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, to = '']) => join(dirname(path), to)),
  );
  expect(paths.length).toBeGreaterThan(200);
  expect(links.length).toBeGreaterThan(pages.length);
  expect([...paths, ...links].filter((to) => !existsSync(to))).toEqual([]);
});

test('the list of decisions has each with its number, title, date and status', () => {
  const files = readdirSync(DECISIONS).filter((name) => name !== 'README.md');
  const rows = files.sort().map((name, place) => {
    const text = readFileSync(join(DECISIONS, name), 'utf8');
    const [, number, title, date, status] = /^# (\d{3})\. (.+)\n\n([\d-]{10}), (.+)\n/.exec(text) ?? [];
    expect([name.slice(0, 3), Number(number)]).toEqual([number, place + 1]);
    return `| ${number} | [${title}](${name}) | ${date} | ${status} |`;
  });
  expect(readFileSync(join(DECISIONS, 'README.md'), 'utf8').match(/^\| \d.*/gm)).toEqual(rows);
});
