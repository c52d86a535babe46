import pino from 'pino';
import { expect, test } from 'vitest';
import { respondCsv } from '#host/http/csv';
import { readCsv } from './read-csv';

let lines: string[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });

/** A generator of pages that records how many were read, and whether reading stopped early. */
function pagesOf(count: number, failsAt?: number) {
  const seen = { requested: 0, isGivenUp: false };
  async function* read() {
    try {
      for (let page = 0; page < count; page += 1) {
        seen.requested += 1;
        if (page === failsAt) throw new Error('the database went away');
        yield [{ page, text: 'x' }];
      }
    } finally {
      seen.isGivenUp = seen.requested < count;
    }
  }
  return { seen, pages: read() };
}

const answer = (pages: AsyncGenerator<{ page: number; text: string }[]>) =>
  respondCsv(['page', 'text'], pages, { log });

test('the first bytes are sent before the last page is read, and pages are read on demand', async () => {
  const { seen, pages } = pagesOf(100);
  const reader = (await answer(pages)).body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(first?.value)).toBe(
    '\uFEFFpage,text\r\n0,x\r\n',
  );
  expect(seen.requested).toBe(1);
  await reader?.read();
  expect(seen.requested).toBe(2);
  await reader?.cancel();
  expect(seen).toEqual({ requested: 2, isGivenUp: true });
});

test('with any number of pages, the file has each row once below one header row', async () => {
  for (const count of [1, 2, 7]) {
    const text = Buffer.from(await (await answer(pagesOf(count).pages)).arrayBuffer()).toString();
    const { columns, rows } = readCsv(text);
    expect(columns).toEqual(['page', 'text']);
    expect(rows.map(({ page }) => Number(page))).toEqual(Array.from({ length: count }, (_, page) => page));
  }
});

test('if the first page fails the response is an error; if a later one fails it breaks off and is logged', async () => {
  lines = [];
  await expect(answer(pagesOf(3, 0).pages)).rejects.toThrow('went away');
  expect(lines).toEqual([]);
  await expect((await answer(pagesOf(3, 2).pages)).text()).rejects.toThrow('went away');
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['the database went away']);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+33 1', "'+33 1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "\t'=1"],
  ['\r=1', "\r'=1"],
  ["a;=cmd|'/C calc'!A1;", "a;'=cmd|'/C calc'!A1;"],
  ['one\n- two', "one\n'- two"],
  ['＝1', "'＝1"],
  ['a=1', 'a=1'],
  ['"quoted", and more', '"quoted", and more'],
  ['two\nlines', 'two\nlines'],
  ['', ''],
])('the text %j is read back as %j', async (text, readBack) => {
  async function* pages() {
    yield [{ page: -1, text }];
  }
  const file = Buffer.from(await (await answer(pages())).arrayBuffer()).toString();
  expect(readCsv(file).rows).toEqual([{ page: '-1', text: readBack }]);
});

test('rows of a page are written a hundred at a time, with turns for other work between', async () => {
  async function* pages() {
    yield Array.from({ length: 201 }, (_, page) => ({ page, text: 'x' }));
    yield [];
  }
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const reader = (await answer(pages())).body?.getReader();
  const chunks: string[] = [];
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    chunks.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(part.value));
  isOver = true;
  expect(chunks.map((chunk) => chunk.trim().split('\r\n').length)).toEqual([101, 100, 1]);
  expect(readCsv(chunks.join('')).rows).toHaveLength(201);
  expect(turns).toBeGreaterThanOrEqual(3);
});
