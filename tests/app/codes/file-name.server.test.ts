import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameOf, type NamedFile, uniqueFileNames } from '~/codes/files/name.server';

const PORTABLE = /^qr-[a-z0-9]+(?:-[a-z0-9]+)*\.(?:png|jpg|svg|pdf)$/;
const png = { isDirect: false, format: 'png', size: 1024 } as const;
const file = fc.record<NamedFile>({
  name: fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('', 'CON', 'a', 'A', 'a-2')),
  isDirect: fc.boolean(),
  format: fc.constantFrom('png', 'jpeg', 'svg', 'pdf'),
  size: fc.integer({ min: 15, max: 17 }),
});

test.each([
  ['Menu, table 12 (A4)', { format: 'pdf', size: 80 }, 'qr-menu-table-12-a4-80mm.pdf'],
  ['Menu table 12', { isDirect: true }, 'qr-menu-table-12-direct-1024.png'],
  ['Straße & Café d’Été', {}, 'qr-strasse-cafe-dete-1024.png'],
  ['Меню', { format: 'svg' }, 'qr-menyu-1024.svg'],
  ['Меню', { format: 'jpeg' }, 'qr-menyu-1024.jpg'],
  ['東京', {}, 'qr-dongjing-1024.png'],
  ['../../etc/passwd\u0000', {}, 'qr-etc-passwd-1024.png'],
  ['con', {}, 'qr-con-1024.png'],
  ['\u202e\u200b…', {}, 'qr-code-1024.png'],
  ['x'.repeat(10_000), {}, `qr-${'x'.repeat(60)}-1024.png`],
] as const)('the file of a code named %j', (name, more, expected) => {
  expect(fileNameOf({ name, ...png, ...more })).toBe(expected);
});

test('file names are valid on every system, whatever the name of the code', () => {
  fc.assert(
    fc.property(file, (one) => {
      const name = fileNameOf(one);
      expect(name).toMatch(PORTABLE);
      expect(name.length).toBeLessThan(100);
    }),
  );
});

test('files in one folder have different names, even if their codes have the same name', () => {
  const nameOf = uniqueFileNames();
  const names = ['Table', 'table', 'Table 2', 'tâble', ''].map((name) => nameOf({ ...png, name }));
  expect(names).toEqual([
    'qr-table-1024.png',
    'qr-table-2-1024.png',
    'qr-table-2-2-1024.png',
    'qr-table-3-1024.png',
    'qr-code-1024.png',
  ]);
  fc.assert(
    fc.property(fc.array(file), (files) => {
      const given = files.map(uniqueFileNames());
      expect(new Set(given).size).toBe(files.length);
      for (const name of given) expect(name).toMatch(PORTABLE);
    }),
  );
});

test('a thousand codes with the same name are numbered in linear time', () => {
  const nameOf = uniqueFileNames();
  const names = Array.from({ length: 1_000 }, () => nameOf({ ...png, name: 'Table' }));
  expect(names.at(-1)).toBe('qr-table-1000-1024.png');
});
