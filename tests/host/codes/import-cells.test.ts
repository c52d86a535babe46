import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importOf, rowsOf } from './read-import';

const CUT = 'https://example.com/a,b,c/page';

test.each([
  ['one column', ['url', CUT], [2, null, CUT]],
  ['empty columns beside it', ['url,,,', `${CUT},,`], [2, null, CUT]],
  ['the address last', ['name,url', `Menu,${CUT}`], [2, 'Menu', CUT]],
  ['words after the address', ['name,url,visibility', `Menu,${CUT},public`], [2, 'Menu', CUT]],
  [
    'another delimiter',
    ['name;url', 'Menu;https://example.com/a;b;c'],
    [2, 'Menu', 'https://example.com/a;b;c'],
  ],
  ['no scheme', ['name,url', 'Menu,example.com/a,b'], [2, 'Menu', 'https://example.com/a,b']],
  ['quotes around another cell', ['name,url', `"Menu, lunch",${CUT}`], [2, 'Menu, lunch', CUT]],
  [
    'a name that is cut',
    ['name,url', 'Menu, lunch,https://example.com/'],
    [2, 'Menu, lunch', 'https://example.com/'],
  ],
  [
    'a name that is cut after the address',
    ['url,name', 'www.example.com,Menu, lunch'],
    [2, 'Menu, lunch', 'https://www.example.com'],
  ],
  ['a text', ['type,content', 'text,Hello, world'], [2, null, 'Hello, world']],
])('a row that was cut at its delimiters is joined again: %s', (_, lines, row) => {
  expect(rowsOf(lines)).toEqual([row]);
});

test.each([
  ['tags that may have been cut as well', ['name,url,tags', `Menu,${CUT},lunch`]],
  ['a column that may mean anything', ['url,clicks', `${CUT},7`]],
  ['quotes around the address', ['url', '"https://example.com/",b']],
  ['words that do not fit', ['name,url,visibility', `Menu,${CUT},perhaps`]],
  ['spaces within the address', ['url', 'https://example.com/, Menu']],
  ['no address at all', ['name,url', 'Menu,lunch,nowhere']],
])('a row that cannot be joined with certainty is an error: %s', (_, lines) => {
  const { problems, imported } = importOf(lines);
  expect(imported).toEqual([]);
  expect(problems).toEqual([
    { row: 2, column: 'url', field: 'content', value: lines[1], reason: 'import_cells_too_many' },
  ]);
});

test('in a list without headers, only what can be nothing else is joined to an address', () => {
  const list = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
  expect(rowsOf([...list, CUT, 'https://d.example/,Menu']).slice(3)).toEqual([
    [4, null, CUT],
    [5, 'content', 'import_cells_too_many'],
  ]);
  expect(rowsOf('https://maps.example/@48.85,2.35,17z\n')).toEqual([[1, 'content', 'import_cells_too_many']]);
  expect(rowsOf('https://a.example/x;id=7\n')).toEqual([[1, 'content', 'import_cells_too_many']]);
  expect(rowsOf('"https://a.example/",7/8\n')).toEqual([[1, '7/8', 'https://a.example/']]);
});

test('no address is ever cut: each becomes whole, or an error', () => {
  const part = fc.stringMatching(/^[a-z0-9/?=&]{0,6}$/);
  const headers = fc.constantFrom(['url'], ['name', 'url'], ['name', 'url', 'visibility'], ['url', 'tags']);
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 5 }), headers, (parts, columns) => {
      const address = `https://example.com/x${parts.join()}x`;
      const row = columns.map((column) =>
        column === 'url' ? address : column === 'visibility' ? 'public' : 'x',
      );
      const [read] = rowsOf([columns.join(), row.join()]);
      expect([address, 'import_cells_too_many']).toContain(read?.[2]);
    }),
  );
});
