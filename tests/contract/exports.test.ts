import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CSV_FORMAT, withoutGuards } from '#contract/exports';

const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** A file with one text between two others, its cell, and what an import gets back of it. */
function written(text: string) {
  const file = stringify([['id', text, 'end']], CSV_FORMAT);
  const [[, cell = ''] = []] = parse(file) as string[][];
  return { file, cell, read: withoutGuards(cell) };
}

/** The cells of a spreadsheet that splits lines at semicolons and knows quotes only where a cell begins with them. */
function cellsBySemicolon(file: string): string[] {
  return file.split(/[;\t\r\n]/).map((cell) => cell.replace(/^[\s"]+/, ''));
}

test.each([
  ["=cmd|'/C calc'!A1", "'=cmd|'/C calc'!A1"],
  ["a;=cmd|'/C calc'!A1;", "a;'=cmd|'/C calc'!A1;"],
  ['a; "=1+1"', 'a; "\'=1+1"'],
  ['a\n=1+1', "a\n'=1+1"],
  ['a\t@SUM(1)', "a\t'@SUM(1)"],
  ['a;;+49', "a;;'+49"],
  ["'=1", "''=1"],
  ["a;''-1", "a;'''-1"],
  ['－1', "'－1"],
  ['a=b;c-d, -e', 'a=b;c-d, -e'],
  ["L'Osteria; 's-Hertogenbosch", "L'Osteria; 's-Hertogenbosch"],
])('%j is written as %j, and read back unchanged', (text, cell) => {
  expect(written(text)).toMatchObject({ cell, read: text });
});

test('no text is a formula for a spreadsheet that splits at semicolons, and every text is read back', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab;\t\n "\'=+-@＝,|') });
  fc.assert(
    fc.property(text, (entered) => {
      const { file, read } = written(entered);
      expect(read).toBe(entered);
      expect(cellsBySemicolon(file).filter((cell) => FORMULA.test(cell))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('a long text without formulas is read as fast as any other', () => {
  for (const text of ['\n', ';', "'", '"', ' ', ';\'"'])
    expect(withoutGuards(`a${text.repeat(300_000)}b`)).toBe(`a${text.repeat(300_000)}b`);
});
