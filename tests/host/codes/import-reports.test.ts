import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ImportDuplicate, ImportProblem, ImportReport } from '#contract/imports';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { processorTime } from '../../support/processor-time';
import { importCalls } from './import-calls';

describe('the report of an import', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  const { upload, start, read, run, own } = importCalls(() => ({ host, account }));

  test('every error is reported with its row and column, and the other rows can be imported', async () => {
    const file = [
      'Titel;Ziel;Typ;Schlagwörter;Sichtbarkeit',
      `${'x'.repeat(10_000)};https://a.example/;Link;;`,
      'ok;https://ok.example/;link;a|b;privat',
      'no link;javascript:alert(1);link;;',
      'no type;https://a.example/;Bild;;',
      `tags;https://b.example/;link;${'y'.repeat(40)};maybe`,
      'null\u0000;;link;;',
    ].join('\n');
    const { data } = await upload(file);
    expect(data).toMatchObject({ delimiter: ';', source: 'other', rows: 6, valid: 1, problemCount: 7 });
    expect(data.problems.map(({ row, column, reason }) => [row, column, reason])).toEqual([
      [2, 'Titel', 'name_too_long'],
      [4, 'Ziel', 'link_invalid'],
      [5, 'Typ', 'type_unavailable'],
      [6, 'Sichtbarkeit', 'visibility_invalid'],
      [6, 'Schlagwörter', 'tag_too_long'],
      [7, 'Titel', 'name_invalid'],
      [7, 'Ziel', 'content_required'],
    ]);
    expect(data.problems[0]?.value).toHaveLength(100);
    await start(data.id);
    await run();
    expect(await own()).toMatchObject([{ name: 'ok', visibility: 'private' }]);
  });

  test('all problems of the largest file are listed page by page, and the report is ready within 2 s', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `nowhere:${index},perhaps`);
    const file = `content,visibility\n${rows.join('\n')}\n`;
    let report: ImportReport | undefined;
    const spent = await processorTime(async () => {
      report = (await upload(file)).data;
    });
    expect(spent).toBeLessThan(2_000);
    const data = report as ImportReport;
    expect(data).toMatchObject({ rows: 10_000, valid: 0, problemCount: 20_000 });
    const path = `/api/imports/${data.id}/problems`;
    const pages: ImportProblem[][] = [];
    for (let page = 1; page <= 40; page += 1) {
      const answer = await read<ImportProblem[]>(`${path}?page=${page}`);
      expect(answer).toMatchObject({ status: 200, meta: { page, limit: 500, total: 20_000 } });
      pages.push(answer.data);
    }
    expect(pages[0]).toEqual(data.problems);
    expect(pages.flat().map(({ row }) => row)).toEqual(rows.flatMap((_, index) => [index + 2, index + 2]));
    expect(pages[39]?.at(-1)).toMatchObject({ row: 10_001, value: 'nowhere:9999', reason: 'link_invalid' });
    expect((await read(`${path}?page=41`)).data).toEqual([]);
    expect((await read<ImportProblem[]>(`${path}?page=x`)).data).toEqual(pages[0]);
    expect((await read(path, (await host.account()).token)).status).toBe(404);
  });

  test('all duplicates of a file can be listed, page by page', async () => {
    const { data } = await upload(`url\n${'https://a.example/\n'.repeat(1_203)}`);
    expect([data.duplicateCount, data.duplicates.length]).toEqual([1_202, 500]);
    const path = `/api/imports/${data.id}/duplicates`;
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => read<ImportDuplicate[]>(`${path}?page=${page}`)),
    );
    expect(pages.flatMap((page) => page.data)).toEqual(
      Array.from({ length: 1_202 }, (_, n) => ({ row: n + 3, of: 2 })),
    );
    expect(pages.map((page) => page.data.length)).toEqual([500, 500, 202, 0]);
    expect((await read(path, (await host.account()).token)).status).toBe(404);
  });

  test('quotes inside a cell are part of its text, and do not break the file', async () => {
    const { data, status } = await upload(
      'name,content\n=HYPERLINK("x"),https://a.example/\nThe "best" table,https://b.example/\n',
    );
    expect(status).toBe(201);
    expect(data.preview.map(({ name }) => name)).toEqual(['=HYPERLINK("x")', 'The "best" table']);
  });

  const valuesOf = (bytes: number[], text: string, littleEndian: boolean) => {
    const units = Buffer.from(text, 'utf16le');
    if (!littleEndian) units.swap16();
    return new Uint8Array([...bytes, ...units]);
  };

  test.each([
    [
      'UTF-8 with its mark',
      () => new TextEncoder().encode('\ufeffname,url\nCafé,https://a.example/\n'),
      'utf-8',
    ],
    [
      'UTF-16 with its mark',
      () => valuesOf([0xff, 0xfe], 'name,url\nCafé,https://a.example/\n', true),
      'utf-16',
    ],
    [
      'UTF-16, the other way round',
      () => valuesOf([0xfe, 0xff], 'name,url\nCafé,https://a.example/\n', false),
      'utf-16',
    ],
    ['UTF-16 without a mark', () => valuesOf([], 'name,url\nCafé,https://a.example/\n', true), 'utf-16'],
    [
      'Windows-1252',
      () => new Uint8Array(Buffer.from('name,url\nCafé,https://a.example/\n', 'latin1')),
      'windows-1252',
    ],
    [
      'tabs and old line ends',
      () => new TextEncoder().encode('name\turl\rCafé\thttps://a.example/\r'),
      'utf-8',
    ],
  ])('%s is read', async (_name, bytes, encoding) => {
    const { data } = await upload(bytes());
    expect(data).toMatchObject({
      encoding,
      valid: 1,
      preview: [{ name: 'Café', content: 'https://a.example/' }],
    });
  });

  test.each([
    ['bitly', 'created_at,title,long_url,bitlink,tags\n2024-01-01,One,https://a.example/,bit.ly/x,a\n'],
    [
      'dub',
      'Short link,Destination URL,Clicks,Created at,Title,Tags\ndub.sh/x,https://a.example/,3,now,One,"a,b"\n',
    ],
    [
      'qr_code_generator',
      'Name;Type;Short URL;Target URL;Scans\nOne;Website;https://qrco.de/x;https://a.example/;3\n',
    ],
    ['other', 'https://a.example/,One\nhttps://b.example/,Two\n'],
  ])('a file from %s is recognised by its headers', async (source, file) => {
    const { data } = await upload(file);
    expect(data).toMatchObject({ source, problemCount: 0 });
    expect(data.preview[0]).toMatchObject({ type: 'link', name: 'One', content: 'https://a.example/' });
  });

  test.each([
    ['an empty file', '', 'import_required'],
    ['headers alone', 'name,url\n', 'import_empty'],
    ['blank lines', '\n\n ,\n', 'import_empty'],
    ['a spreadsheet', 'PK\u0003\u0004 and more', 'import_not_csv'],
    ['a picture', '\u0089PNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR', 'import_not_csv'],
    ['an open quote', 'name,url\n"open,https://a.example/\n', 'import_not_csv'],
    ['columns that say nothing', 'a,b\n1,2\n', 'import_no_content'],
    ['too many rows', `url\n${'https://a.example/\n'.repeat(10_001)}`, 'import_too_many_rows'],
    ['too many bytes', `url\n${'x'.repeat(5 * 1024 * 1024)}`, 'import_too_large'],
    ['a line without end', `url\n"${'x'.repeat(2_000_000)}"`, 'import_not_csv'],
    ['a million columns', `url\n${','.repeat(900_000)}x`, 'import_too_many_columns'],
    ['many columns', `url\n${'x,'.repeat(300)}`, 'import_too_many_columns'],
    ['five million line breaks', `url\n${'\n'.repeat(5_000_000)}x`, 'import_too_many_rows'],
  ])('%s is refused', async (_name, file, reason) => {
    expect(await upload(file)).toMatchObject({ status: 422, errors: { file: [reason] } });
  });

  test('a body of 100 MB is refused unread', async () => {
    const headers = {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': String(100 * 1024 * 1024),
    };
    const answer = await host.request('/api/imports', {
      method: 'POST',
      body: '--x--',
      headers,
      token: account.token,
    });
    expect(answer.status).toBe(413);
  });
});
