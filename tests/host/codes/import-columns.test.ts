import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IMPORT_FIELDS } from '#contract/imports';
import { LOCALE_CODES } from '#contract/locales';
import { importOf, rowsOf } from './read-import';

const WANTED = 'https://example.com/menu';

test.each([
  ['Long URL,Title', 'bitly'],
  ['Long URL,Bitlink', 'bitly'],
  ['Long URL,Name', 'other'],
  ['Short link,Destination URL', 'dub'],
  ['Short URL,Target URL', 'qr_code_generator'],
  ['Short URL,Link', 'other'],
  ['content,type', 'quadrille'],
  ['link,tags', 'other'],
])('a table with the columns %s comes from %s', (headers, source) => {
  const { report } = importOf(`${headers}\nhttps://a.example/,https://b.example/\n`);
  expect(report.source).toBe(source);
});

// Columns as the products' documentation and importers of their files name them.
test.each([
  [
    'shlink',
    'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits',
    `"2026-08-15T15:03:56-04:00","s.example.com","9r2TW","https://s.example.com/9r2TW","${WANTED}","Menu","lunch|bar",61`,
  ],
  ['shlink', 'Long URL,Tags,Domain,Short code,Title', `${WANTED},lunch|bar,,123,Menu`],
  ['bitly', 'created_at,title,long_url,bitlink,tags', `2026-01-01,Menu,${WANTED},bit.ly/x,"lunch,bar"`],
  [
    'bitly',
    'Link,Custom Link,Destination URL,Title,Tags',
    `https://bit.ly/x,https://go.example/x,${WANTED},Menu,lunch;bar`,
  ],
  [
    'dub',
    'Short link,Destination URL,Clicks,Created at,Title,Tags',
    `dub.sh/x,${WANTED},3,now,Menu,"lunch,bar"`,
  ],
  [
    'short_io',
    'originalURL,path,title,tags,shortURL,createdAt',
    `${WANTED},x,Menu,"lunch,bar",https://go.example/x,now`,
  ],
  ['short_io', 'original_url,short_url,title,tags', `${WANTED},https://go.example/x,Menu,"lunch,bar"`],
  ['rebrandly', 'destination,slashtag,title,domain,tags', `${WANTED},x,Menu,rebrand.ly,"lunch,bar"`],
  ['yourls', 'keyword,url,title,timestamp,ip,clicks,tags', `x,${WANTED},Menu,now,192.0.2.1,7,lunch;bar`],
  [
    'qr_code_generator',
    'Name;Type;Short URL;Target URL;Scans;Folder',
    `Menu;PDF;https://qrco.de/x;${WANTED};3;lunch|bar`,
  ],
  [
    'other',
    'QR Code Name,Campaign Type,Short URL,Website URL,Labels',
    `Menu,Landing Page,https://qr.example/x,${WANTED},lunch;bar`,
  ],
  ['other', 'tinyUrl,longLink,Link name,Tag', `https://tinyurl.com/x,${WANTED},Menu,lunch;bar`],
  ['other', 'address,target,title,tags', `x,${WANTED},Menu,lunch;bar`],
])('an export of %s with the columns %s becomes links', (source, headers, row) => {
  const { report, imported } = importOf([headers, row]);
  expect(report).toMatchObject({ source, problems: [] });
  const design = { type: 'link', content: WANTED, name: 'Menu', tags: ['lunch', 'bar'] };
  expect(imported).toMatchObject([{ row: 2, design }]);
});

test.each([
  'longUrl',
  'originalURL',
  'original_url',
  'destinationUrl',
  'Website URL',
  'Link URL',
  'Target URL',
  'Full URL',
  'Long link',
  'QR Code Content',
  'URL (required)',
  'WEBSITE*',
  'Lien de destination',
  'Ziel-URL',
  'Enlace de destino',
  'Indirizzo web',
  '\u200bUrl',
  'final_url',
  'Weblink',
])('the column %s holds addresses', (header) => {
  expect(rowsOf([`Scans,${header}`, `1,${WANTED}`])).toEqual([[2, null, WANTED]]);
});

test.each(LOCALE_CODES)('columns may be called what this product calls them in %s', (locale) => {
  const textsOf = (namespace: string) =>
    JSON.parse(readFileSync(`locales/${locale}/${namespace}.json`, 'utf8'));
  const fields = { ...textsOf('design').form, ...textsOf('codes').import.fields };
  const { columns } = importOf([
    IMPORT_FIELDS.map((field) => fields[field]).join(';'),
    IMPORT_FIELDS.map((field) => (field === 'content' ? WANTED : '')).join(';'),
  ]).report;
  expect(columns.map(({ field }) => field)).toEqual([...IMPORT_FIELDS]);
});

test('of several columns with addresses, what codes lead to comes before short links and names', () => {
  expect(rowsOf(['Link,URL,Short URL', `https://bit.ly/x,${WANTED},https://bit.ly/y`])).toEqual([
    [2, null, WANTED],
  ]);
});

test('if no header says where the addresses stand, the cells do', () => {
  const lines = ['Nom;Short URL;Adresse;Visibilité', `Menu;https://bit.ly/x;${WANTED};privé`];
  const { report, imported } = importOf(lines);
  expect(report.columns[2]).toEqual({ header: 'Adresse', field: 'content' });
  expect(imported).toMatchObject([{ design: { name: 'Menu', content: WANTED, visibility: 'private' } }]);
});

test('a header is cut between characters', () => {
  const { report } = importOf([`url, ${'😀'.repeat(101)}`, 'https://a.example/,x']);
  expect(report.columns[1]?.header).toBe('😀'.repeat(100));
});

test('columns without a header are called as in spreadsheets, and those without anything are left out', () => {
  const { columns } = importOf([',url,,notes', `1,${WANTED},,x`]).report;
  expect(columns).toEqual([
    { header: 'A', field: null },
    { header: 'url', field: 'content' },
    { header: 'notes', field: null },
  ]);
});

test('the columns of a table without headers have the names of spreadsheets', () => {
  const cells = ['https://a.example/', ...Array.from({ length: 52 }, () => 'x')];
  const names = importOf(cells.join()).report.columns.map(({ header }) => header);
  expect(names.slice(0, 2)).toEqual(['A', 'B']);
  expect(names.slice(25, 28)).toEqual(['Z', 'AA', 'AB']);
  expect(names.slice(51)).toEqual(['AZ', 'BA']);
});

test.each([
  [
    'addresses',
    [WANTED, 'https://a.example/'],
    [
      [1, null, WANTED],
      [2, null, 'https://a.example/'],
    ],
  ],
  ['one address', [WANTED], [[1, null, WANTED]]],
  [
    'addresses without a scheme',
    ['example.com/menu', 'www.a.example'],
    [
      [1, null, 'https://example.com/menu'],
      [2, null, 'https://www.a.example'],
    ],
  ],
  [
    'addresses and names',
    [`${WANTED},Menu`, 'a.example,Bar'],
    [
      [1, 'Menu', WANTED],
      [2, 'Bar', 'https://a.example'],
    ],
  ],
  [
    'names and addresses',
    [`Menu;${WANTED}`, 'Bar 2.0;a.example/x'],
    [
      [1, 'Menu', WANTED],
      [2, 'Bar 2.0', 'https://a.example/x'],
    ],
  ],
  [
    'names like headers, and addresses',
    [`Website;${WANTED}`, 'Link;a.example/x'],
    [
      [1, 'Website', WANTED],
      [2, 'Link', 'https://a.example/x'],
    ],
  ],
  [
    'e-mail addresses',
    ['ada@example.com', 'bob@example.com'],
    [
      [1, null, 'ada@example.com'],
      [2, null, 'bob@example.com'],
    ],
  ],
  [
    'addresses with a mistake',
    ['htp:/nowhere', WANTED],
    [
      [1, 'content', 'link_invalid'],
      [2, null, WANTED],
    ],
  ],
  [
    'addresses below headers in another language',
    ['Nazwa,Adres', `Menu,${WANTED}`],
    [
      [1, 'content', 'link_invalid'],
      [2, 'Menu', WANTED],
    ],
  ],
])('a list of %s needs no headers', (_, lines, rows) => {
  expect(rowsOf(lines)).toEqual(rows);
});

test('a text is no list, even if it names an address', () => {
  expect(() => importOf(['Hello world', 'See example.com', 'Goodbye'])).toThrow('import_no_content');
});

test.each([
  ['name;Latitude;Longitude', 'Roastery;48.137154;11.576124'],
  ['name;LNG;LAT', 'Roastery;11,576124;48,137154'],
  ['Bezeichnung;Breitengrad;Längengrad', 'Roastery;48,137154;11,576124'],
  ['name;lat;lng;position', 'Roastery;0;0;48.137154, 11.576124'],
])('a place under %s is read', (headers, row) => {
  expect(rowsOf([headers, row])).toEqual([[2, 'Roastery', '{"position":"48.137154, 11.576124"}']]);
});

test('half a place, or one that is not on Earth, is a mistake in its columns', () => {
  const { report, problems } = importOf(['lat,lng', '48.1,', '91,11', '48.1,11.5']);
  expect(report.columns.map(({ field }) => field)).toEqual(['position', 'position']);
  expect(problems.map(({ row, column, reason }) => [row, column, reason])).toEqual([
    [2, 'lat', 'position_invalid'],
    [3, 'lat', 'position_invalid'],
  ]);
});

test('a link with its place in further columns stays a link', () => {
  expect(rowsOf(['content,lat,lng', `${WANTED},48.1,11.5`])).toEqual([[2, null, WANTED]]);
});
