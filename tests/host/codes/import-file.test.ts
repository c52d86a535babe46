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
