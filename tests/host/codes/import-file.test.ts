import { expect, test } from 'vitest';
import { readColumns } from '#host/codes/import-columns';
import { readImportFile } from '#host/codes/import-file';
import { readImport } from '#host/codes/import-report';

const RULES = {
  publicUrl: 'https://quadrille.example',
  shortUrl: 'https://q.example',
  hostPublicUrl: 'https://host.example',
  blockedHosts: new Set<string>(),
};

async function importOf(text: string) {
  const known = { tagKeys: new Set<string>(), findExisting: async () => new Set<string>() };
  return readImport(readColumns(await readImportFile(Buffer.from(text))), known, RULES);
}

test.each([
  ['utf-8', (text: string) => Buffer.from(text)],
  ['utf-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
] as const)(
  'letters beyond the basic plane stay whole wherever they stand in a %s file',
  async (encoding, encode) => {
    const emoji = '👩🏽‍🍳'.repeat(60_000);
    for (const before of ['', 'x']) {
      const read = await readImportFile(encode(`url,name\nhttps://a.example/,${before}${emoji}\n`));
      expect(read.encoding).toBe(encoding);
      expect(read.rows[1]?.cells[1] === before + emoji).toBe(true);
    }
  },
);

test('a network name and a passphrase keep their spaces, as in the form', async () => {
  const { outcome, imported } = await importOf('ssid,passphrase\n Café ," secret12 "\n\tBar,password1\n');
  expect(outcome.problems).toEqual([expect.objectContaining({ row: 3, field: 'ssid' })]);
  expect(imported.map(({ design }) => design.content)).toEqual(['WIFI:T:WPA;S: Café ;P: secret12 ;;']);
});

test('the columns of a table without headers have the names of spreadsheets', async () => {
  const cells = ['https://a.example/', ...Array.from({ length: 52 }, () => 'x')];
  const { columns } = readColumns(await readImportFile(Buffer.from(cells.join())));
  const names = columns.map(({ header }) => header);
  expect(names.slice(0, 2)).toEqual(['A', 'B']);
  expect(names.slice(25, 28)).toEqual(['Z', 'AA', 'AB']);
  expect(names.slice(51)).toEqual(['AZ', 'BA']);
});

test.each([
  ['Long URL,Title', 'bitly'],
  ['Long URL,Bitlink', 'bitly'],
  ['Long URL,Name', 'other'],
  ['Short link,Destination URL', 'dub'],
  ['Short URL,Target URL', 'qr_code_generator'],
  ['Short URL,Link', 'other'],
  ['content,type', 'quadrille'],
  ['link,tags', 'other'],
])('a table with the columns %s comes from %s', async (headers, source) => {
  const read = await readImportFile(Buffer.from(`${headers}\nhttps://a.example/,https://b.example/\n`));
  expect(readColumns(read).source).toBe(source);
});

test('a table has at most 200 columns', async () => {
  const table = (columns: number) => Buffer.from(`${'url,'.repeat(columns - 1)}url\n`);
  expect((await readImportFile(table(200))).rows[0]?.cells).toHaveLength(200);
  await expect(readImportFile(table(201))).rejects.toMatchObject({ fields: { file: ['import_not_csv'] } });
});

test('a column is recognised however its header is punctuated', async () => {
  const { imported } = await importOf('Long__URL,Code -- name:\nhttps://a.example/,Menu\n');
  expect(imported.map(({ design }) => [design.content, design.name])).toEqual([
    ['https://a.example/', 'Menu'],
  ]);
});

test('rows may end as in old files of the Mac, and spaces around a cell are not part of it', async () => {
  const { imported } = await importOf('url,name\rhttps://a.example/ ,  Menu  \r  https://b.example/,\r');
  expect(imported.map(({ design }) => [design.content, design.name])).toEqual([
    ['https://a.example/', 'Menu'],
    ['https://b.example/', null],
  ]);
});

test('delimiters inside quoted headers do not tell how columns are separated', async () => {
  const { delimiter, rows } = await readImportFile(Buffer.from('"url, or link, if any";name\nx;y\n'));
  expect(delimiter).toBe(';');
  expect(rows[0]?.cells).toEqual(['url, or link, if any', 'name']);
});

test('without a type, an e-mail address becomes an e-mail code and a web address a link', async () => {
  const { imported } = await importOf(
    'content,name\nada@shop.example,\nmailto:ada@shop.example,\nhttps://shop.example/@ada,\n',
  );
  expect(imported.map(({ design }) => design.type)).toEqual(['email', 'email', 'link']);
});
