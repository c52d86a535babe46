import { expect, test } from 'vitest';
import { importOf, rowsOf } from './read-import';

const MENU = ['Menu', 'https://example.com/menu'];

/** Why a file as a whole is refused. */
function refusalOf(file: string): string | null {
  try {
    importOf(file);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  ['utf-8', (text: string) => Buffer.from(text)],
  ['utf-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
] as const)(
  'letters beyond the basic plane stay whole wherever they stand in a %s file',
  (encoding, encode) => {
    const emoji = '👩🏽‍🍳'.repeat(60_000);
    for (const before of ['', 'x']) {
      const { report, problems } = importOf(encode(`url,name\nhttps://a.example/,${before}${emoji}\n`));
      expect(report.encoding).toBe(encoding);
      expect(problems[0]?.value).toBe(
        Array.from(before + emoji.slice(0, 800))
          .slice(0, 100)
          .join(''),
      );
    }
  },
);

test('every byte of Windows-1252 is decoded, on every version of Node.js', () => {
  // Microsoft's code page; the five bytes that it leaves out are no letters there.
  const high = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
  const bytes = [128, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 142].concat([
    145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 158, 159,
  ]);
  // Names are stored without the soft hyphen, which is invisible.
  const rest = Array.from({ length: 95 }, (_, index) => 0xa1 + index).filter((byte) => byte !== 0xad);
  const file = (name: number[]) =>
    Buffer.concat([Buffer.from('name;url\r\n'), Buffer.from(name), Buffer.from(';https://a.example/\r\n')]);
  const name = (numbers: number[]) => importOf(file(numbers)).imported[0]?.design.name;
  expect(name(bytes)).toBe(high);
  expect(name(rest.slice(0, 60))).toBe(
    rest
      .slice(0, 60)
      .map((byte) => String.fromCharCode(byte))
      .join(''),
  );
  expect(name(rest.slice(60))).toBe(
    rest
      .slice(60)
      .map((byte) => String.fromCharCode(byte))
      .join(''),
  );
  const excel = [...Buffer.from('Men\xfc 5 \x80 \x96 l\x92\xe9t\xe9 \xe0 \x8cuf', 'latin1')];
  expect(importOf(file(excel))).toMatchObject({
    report: { encoding: 'windows-1252' },
    imported: [{ design: { name: 'Menü 5 € – l’été à Œuf' } }],
  });
});

test.each([
  ['ends lines with CR alone', 'name;url\rCaf\x8e l\xd5\x8et\x8e;https://a.example/\r', 'Café l’été'],
  [
    'has bytes that Windows leaves undefined',
    'name;url\r\nGar\x8don \x88 la fen\x90tre;https://a.example/\r\n',
    'Garçon à la fenêtre',
  ],
])('a file that %s comes from the Mac', (_, file, name) => {
  const { report, imported } = importOf(Buffer.from(file, 'latin1'));
  expect([report.encoding, imported[0]?.design.name]).toEqual(['macintosh', name]);
});

test('one wrong byte in a file with the mark of UTF-8 spoils its own cell alone', () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeffname,url\nCafé '),
    Buffer.from([0x80]),
    Buffer.from(',https://a.example/\nÉté,https://b.example/\n'),
  ]);
  expect(rowsOf(bytes)).toEqual([
    [2, 'Café \ufffd', 'https://a.example/'],
    [3, 'Été', 'https://b.example/'],
  ]);
});

test.each([
  ['sep=;\r\n', ';'],
  ['sep=,\r\n', ','],
  ['sep=\t\r\n', '\t'],
  ['sep=\\t\n', '\t'],
  ['SEP=|\n', '|'],
  ['"sep=;"\r\n', ';'],
  ['sep=;;;\r\n', ';'],
  ['\ufeffsep=;\r\n', ';'],
  ['sep=;\r\n\ufeff', ';'],
  ['\ufeff\ufeff', ','],
  ['\ufeff', ';'],
])('a file that begins with %j is read, and Excel counts its rows in the same way', (start, delimiter) => {
  const table = [['name', 'content'], MENU].map((cells) => cells.join(delimiter)).join('\r\n');
  expect(importOf(start + table).report.delimiter).toBe(delimiter);
  expect(rowsOf(start + table)).toEqual([[2, ...MENU]]);
});

test.each([
  ['an empty line', ['', 'name;content', 'Menu;https://example.com/menu'], 3],
  ['lines with empty cells', [';', ' ; ', 'name;content', 'Menu;https://example.com/menu'], 4],
  ['a title', ['My codes;', 'name;content', 'Menu;https://example.com/menu'], 3],
  ['a title with a comma', ['Codes, spring 2026', 'name;content', 'Menu;https://example.com/menu'], 3],
  ['a title that is the name of a column', ['Links', '', 'name;content', 'Menu;https://example.com/menu'], 4],
  ['a title with an address', ['Bar;www.bar.example', 'name;content', 'Menu;https://example.com/menu'], 3],
  ['a title of two lines in quotes', ['"My\ncodes";', 'name;content', 'Menu;https://example.com/menu'], 3],
  ['groups of columns', ['Code;Lien;', 'nom;cible;visibilité', 'Menu;https://example.com/menu;public'], 3],
  [
    'as many lines as are looked at',
    [...Array(19).fill('Note'), 'name;url', 'Menu;https://example.com/menu'],
    21,
  ],
])('%s may stand above the headers', (_, lines, row) => {
  expect(rowsOf(lines)).toEqual([[row, ...MENU]]);
});

test('headers in the middle of a table are a row of it', () => {
  const lines = ['name,url', 'Menu,https://example.com/menu', 'name,url,tags', 'Bar,https://example.com/bar'];
  expect(rowsOf(lines)).toEqual([
    [2, ...MENU],
    [3, 'content', 'import_cells_too_many'],
    [4, 'Bar', 'https://example.com/bar'],
  ]);
});

test('only columns with something in them count, of which a table has at most 200', () => {
  const empty = ','.repeat(300);
  expect(rowsOf([`name,content${empty}`, `${MENU.join()}${empty}`])).toEqual([[2, ...MENU]]);
  expect(rowsOf([`name${empty},content`, `Menu${empty},https://example.com/menu`])).toEqual([[2, ...MENU]]);
  const table = (columns: number) => [`url${',x'.repeat(columns - 1)}`, 'https://a.example/'];
  expect(importOf(table(200)).report.columns).toHaveLength(200);
  expect(refusalOf(table(201).join('\n'))).toBe('import_too_many_columns');
  const last = (column: number) => `name${','.repeat(column - 1)}url\nMenu${','.repeat(column - 1)}a.example`;
  expect(rowsOf(last(16_384))).toEqual([[2, 'Menu', 'https://a.example']]);
  expect(refusalOf(last(16_385))).toBe('import_too_many_columns');
});

test('a table has at most 10,000 rows, wherever empty lines stand', () => {
  const rows = (count: number, end = '\n') => `https://a.example/${end}`.repeat(count);
  expect(importOf(`url\n${rows(10_000)}`).report.rows).toBe(10_000);
  expect(refusalOf(`url\n${rows(10_001)}`)).toBe('import_too_many_rows');
  expect(importOf(`url\n\n${rows(10_000, '\n\n')}`).report.rows).toBe(10_000);
  expect(importOf(`url\n${rows(1)}${';;;;\n'.repeat(500_000)}`).report.rows).toBe(1);
  expect(refusalOf(`url\n${'\n'.repeat(20_020)}${rows(1)}`)).toBe('import_too_many_rows');
});

test('a column is recognised however its header is punctuated', () => {
  expect(rowsOf('Long__URL,Code -- name:\nhttps://a.example/,Menu\n')).toEqual([
    [2, 'Menu', 'https://a.example/'],
  ]);
});

test('rows may end as in old files of the Mac, and spaces around a cell are not part of it', () => {
  expect(rowsOf('url,name\rhttps://a.example/ ,  Menu  \r  https://b.example/,\r')).toEqual([
    [2, 'Menu', 'https://a.example/'],
    [3, null, 'https://b.example/'],
  ]);
});

test('delimiters inside quoted headers or cells do not tell how columns are separated', () => {
  const lines = ['"url, or link, if any";name;url', 'a, b, c;"Menu; Bar";https://a.example/'];
  expect(importOf(lines).report).toMatchObject({ delimiter: ';', valid: 1 });
  expect(rowsOf(lines)).toEqual([[2, 'Menu; Bar', 'https://a.example/']]);
  expect(importOf(['name,url,tags', 'Menu,https://a.example/,a|b|c;d;e']).report.delimiter).toBe(',');
});

test('apostrophes and quotes are part of a name, and only a guard against formulas is dropped', () => {
  const names = [
    ["L'Osteria", "L'Osteria"],
    ["'s-Hertogenbosch", "'s-Hertogenbosch"],
    ["'Da Mario'", "'Da Mario'"],
    ["'=1+1", '=1+1'],
    ["''=1+1", "'=1+1"],
    ["'+49 30 1234", '+49 30 1234'],
    ['The "best" table', 'The "best" table'],
    ['"The ""best"" table"', 'The "best" table'],
    ['"""Best"""', '"Best"'],
    ['"Best" table', '"Best" table'],
    ['5" nail', '5" nail'],
  ];
  const lines = names.map(([entered], index) => `${entered},https://a.example/${index}`);
  const { imported } = importOf(['name,url', ...lines]);
  expect(imported.map(({ design }) => design.name)).toEqual(names.map(([, read]) => read));
});
