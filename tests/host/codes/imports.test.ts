import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListedCode } from '#contract/codes';
import type { ImportProblem, ImportReport } from '#contract/imports';
import type { Job, JobProblem } from '#contract/jobs';
import { DEFAULT_STYLE } from '#contract/style-rules';
import type { SavedStyle } from '#contract/styles';
import { runBatch, runDueJobs } from '#host/codes/jobs.run';
import { dropOldJobs } from '#host/codes/jobs.store';
import { activities } from '#host/db/accounts.tables';
import { codes } from '#host/db/codes.tables';
import { codeImportParts, codeImportProblems, codeImports } from '#host/db/jobs.tables';
import { styles } from '#host/db/styles.tables';
import { createTestHost, engines, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { processorTime } from '../../support/processor-time';
import { readCsv } from '../statistics/read-csv';

const DAY_MS = 24 * 3_600_000;
const DOTS = { moduleShape: 'dots' };
const BARS = { moduleShape: 'bars-vertical', cornerColour: '#a4210d' };

describe.each(engines)('import on %s', (_, open) => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost({ db: await open() });
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  async function upload(
    content: string | Uint8Array<ArrayBuffer>,
    name = 'codes.csv',
    token = account.token,
  ) {
    const body = new FormData();
    body.set('file', new File([content], name, { type: 'text/csv' }));
    const answer = await host.request('/api/imports', { method: 'POST', body, token });
    const read = (await answer.json()) as { data: ImportReport; errors?: Record<string, string[]> };
    return { ...read, status: answer.status };
  }

  async function start(id: string, body: object = {}, token = account.token) {
    const init = { method: 'POST', body: JSON.stringify(body), token };
    const answer = await host.request(`/api/imports/${id}/start`, init);
    return { ...((await answer.json()) as { data: Job; errors?: object }), status: answer.status };
  }

  async function read<T>(path: string, token = account.token) {
    const answer = await host.request(path, { token });
    return { ...((await answer.json()) as { data: T }), status: answer.status };
  }

  const run = () => runDueJobs(host.deps, new AbortController().signal);
  const own = () =>
    host.db.orm.select().from(codes).where(eq(codes.accountId, account.id)).orderBy(codes.number);
  const valuesOf = (bytes: number[], text: string, littleEndian: boolean) => {
    const units = Buffer.from(text, 'utf16le');
    if (!littleEndian) units.swap16();
    return new Uint8Array([...bytes, ...units]);
  };

  test('a file gets a report, creates nothing before it is confirmed, and then each code once', async () => {
    const file = [
      'Name,Type,Content,Tags,Visibility,Subject,Body,SSID,Passphrase,Security',
      'Menu,link,example.com/menu,"Été, terrace",,,,,,',
      '"Two\nlines",text,"Hello,\n""world""",ete,private,,,,,',
      'Mail,E-Mail,ada@example.com,,public,Hello,"Dear Ada,\nhello",,,',
      'Guests,WLAN,,,,,,Café,password1,WPA2',
      '',
      '=1+1,,https://formula.example/,"=cmd|x",,,,,,',
    ].join('\r\n');
    const { status, data } = await upload(file, '../My codes\u202e.csv');
    expect(status).toBe(201);
    expect(data).toMatchObject({ source: 'quadrille', encoding: 'utf-8', delimiter: ',', rows: 5, valid: 5 });
    expect(data).toMatchObject({ problems: [], problemCount: 0, duplicates: [], duplicateCount: 0 });
    expect(data.fileName).toBe('../My codes.csv');
    expect(data.columns[0]).toEqual({ header: 'Name', field: 'name' });
    expect(data.preview.map(({ row, type, name }) => [row, type, name])).toEqual([
      [2, 'link', 'Menu'],
      [3, 'text', 'Two lines'],
      [4, 'email', 'Mail'],
      [5, 'wifi', 'Guests'],
      [7, 'link', '=1+1'],
    ]);
    expect(await own()).toEqual([]);
    const [first, second] = await Promise.all([start(data.id), start(data.id)]);
    expect(first).toMatchObject({ status: 201, data: { kind: 'import', status: 'running', total: 5 } });
    expect(second.data.id).toBe(first.data.id);
    await run();
    expect((await read<Job>(`/api/jobs/${first.data.id}`)).data).toMatchObject({
      status: 'done',
      succeeded: 5,
      failed: 0,
    });
    await start(data.id);
    await run();
    expect(await own()).toMatchObject([
      { name: 'Menu', type: 'link', content: 'https://example.com/menu', visibility: 'public' },
      { name: 'Two lines', type: 'text', content: 'Hello,\n"world"', visibility: 'private' },
      { name: 'Mail', content: 'ada@example.com', subject: 'Hello', body: 'Dear Ada,\nhello' },
      { name: 'Guests', content: 'WIFI:T:WPA;S:Café;P:password1;;' },
      { name: '=1+1', content: 'https://formula.example/' },
    ]);
    const seen = await read<{ report: ImportReport; job: Job }>(`/api/imports/${data.id}`);
    expect(seen.data).toMatchObject({ report: data, job: { id: first.data.id, status: 'done' } });
    const recorded = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
    expect(recorded).toMatchObject([{ type: 'qrcode_create', codes: 5 }]);

    const csv = await host.request(`/api/jobs/${first.data.id}/codes.csv`, { token: account.token });
    const { rows } = readCsv(Buffer.from(await csv.arrayBuffer()).toString());
    expect(rows.map(({ row, name, tags }) => [row, name, tags])).toEqual([
      ['2', 'Menu', 'Été, terrace'],
      ['3', 'Two lines', 'Été'],
      ['4', 'Mail', ''],
      ['5', 'Guests', ''],
      ['7', "'=1+1", "'=cmd, x"],
    ]);
    expect(rows[0]?.link).toMatch(/^https:\/\/go\.quadrille\.example\/l\/[0-9A-Z]{8}$/);
  });

  test('an export of the codes of one account creates the same codes in another', async () => {
    const texts = { type: 'text', visibility: 'private' } as const;
    await host.code(account.id, { ...texts, content: '+49 30 123456', name: '=A1', tags: ['@home', 'x'] });
    await host.code(account.id, { ...texts, content: '＝1 - 1', name: '-', tags: ['+'] });
    await host.code(account.id, { ...texts, content: "'quoted' and 'told'", name: "'s-Hertogenbosch" });
    await host.code(account.id, {
      ...{ type: 'email', content: '=ada@example.com', subject: '-20 %', body: '@all\n+1' },
    });
    await host.code(account.id, { type: 'wifi', content: 'WIFI:T:WPA;S:=Café;P:@password;;' });
    const exported = await host.request('/api/qrcodes/codes.csv', { token: account.token });
    const listed = async () => (await host.request('/api/qrcodes', { token: account.token })).json();
    const { data: codesBefore } = (await listed()) as { data: ListedCode[] };
    account = await host.account();
    const { data } = await upload(new Uint8Array(await exported.arrayBuffer()));
    expect(data).toMatchObject({ source: 'quadrille', rows: 5, valid: 5, problems: [] });
    await start(data.id);
    await run();
    const { data: codesAfter } = (await listed()) as { data: ListedCode[] };
    const told = ({ type, content, subject, body, visibility, name, tags }: ListedCode) => {
      return { type, content, subject, body, visibility, name, tags };
    };
    // Exports list the newest codes first.
    expect(codesAfter.map(told).toReversed()).toEqual(codesBefore.map(told));
  });

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

  test('quotes inside a cell are part of its text, and do not break the file', async () => {
    const { data, status } = await upload(
      'name,content\n=HYPERLINK("x"),https://a.example/\nThe "best" table,https://b.example/\n',
    );
    expect(status).toBe(201);
    expect(data.preview.map(({ name }) => name)).toEqual(['=HYPERLINK("x")', 'The "best" table']);
  });

  test('rows that repeat another row or an existing code are duplicates, and skipped on request', async () => {
    await host.code(account.id, { content: 'https://known.example/' });
    const file =
      'url,name\nhttps://known.example/,a\nhttps://new.example/,b\nnew.example/,c\nhttps://new.example/,d\n';
    const { data } = await upload(file);
    expect(data.duplicates).toEqual([
      { row: 2, of: null },
      { row: 4, of: 3 },
      { row: 5, of: 3 },
    ]);
    const { data: job } = await start(data.id, { skipDuplicates: true });
    expect(job.total).toBe(1);
    await run();
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({ status: 'done', succeeded: 1 });
    expect((await own()).map(({ name }) => name)).toEqual([null, 'b']);
    const again = await upload(file);
    expect(again.data.duplicateCount).toBe(4);
    expect(await start(again.data.id, { skipDuplicates: true })).toMatchObject({
      status: 422,
      errors: { file: ['import_nothing_left'] },
    });
    const { data: all } = await start(again.data.id);
    await run();
    expect((await read<Job>(`/api/jobs/${all.id}`)).data.succeeded).toBe(4);
  });

  test('new codes get a copy of the chosen look, and none without a choice', async () => {
    const saveLook = async (body: object, as = account) => {
      const answer = await send(host, 'POST', '/api/styles', body, as);
      return (answer.body.data as SavedStyle).id;
    };
    const importOne = async (url: string, body: object) => {
      const { data } = await upload(`url\n${url}\n`);
      const started = await start(data.id, body);
      await run();
      return { ...started, importId: data.id };
    };
    const dots = await saveLook({ name: 'Dots', style: DOTS });
    expect(await importOne('https://early.example/', { style: 'default' })).toMatchObject({ status: 201 });
    const bars = await saveLook({ name: 'Bars', style: BARS, isDefault: true });
    await importOne('https://silent.example/', {});
    await importOne('https://none.example/', { style: 'none' });
    await importOne('https://default.example/', { style: 'default' });
    const { data: job } = await importOne('https://chosen.example/', { style: dots });
    const { data: waiting } = await upload('url\nhttps://later.example/\n');
    await start(waiting.id, { style: bars });
    await send(host, 'DELETE', `/api/styles/${bars}`, undefined, account);
    await run();
    expect((await own()).map(({ content, style }) => [content, style])).toEqual([
      ['https://early.example/', null],
      ['https://silent.example/', null],
      ['https://none.example/', null],
      ['https://default.example/', { ...DEFAULT_STYLE, ...BARS }],
      ['https://chosen.example/', { ...DEFAULT_STYLE, ...DOTS }],
      ['https://later.example/', { ...DEFAULT_STYLE, ...BARS }],
    ]);
    const foreign = await saveLook({ name: 'Foreign', style: DOTS }, await host.account());
    for (const style of [bars, foreign, randomUUID(), 'ink'])
      expect(await importOne('https://refused.example/', { style })).toMatchObject({
        status: 422,
        errors: { style: ['style_unknown'] },
      });
    expect(await own()).toHaveLength(6);
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({ status: 'done', succeeded: 1 });
  });

  test('a look saved under other rules is refused with what is wrong with it', async () => {
    const saved = await send(host, 'POST', '/api/styles', { name: 'Old', style: DOTS }, account);
    const { id } = saved.body.data as SavedStyle;
    const { data } = await upload('url\nhttps://a.example/\n');
    for (const [style, reason] of [
      [{ ...DEFAULT_STYLE, frame: 'badge', caption: '漢字' }, 'caption_letters'],
      [{ ...DEFAULT_STYLE, version: 99 }, 'style_version'],
    ] as const) {
      await host.db.orm.update(styles).set({ style }).where(eq(styles.id, id));
      expect(await start(data.id, { style: id })).toMatchObject({ status: 422, errors: { style: [reason] } });
    }
  });

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
    ['a million columns', `url\n${','.repeat(1_000_000)}`, 'import_not_csv'],
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

  test('tags beyond the limit of the account are errors of their rows', async () => {
    const rows = Array.from({ length: 205 }, (_, index) => `https://a.example/${index},tag ${index}`);
    const { data } = await upload(`url,tags\n${rows.join('\n')}\n`);
    expect(data).toMatchObject({ valid: 200, problemCount: 5 });
    expect(data.problems[0]).toMatchObject({ row: 202, column: 'tags', reason: 'account_tags_too_many' });
    await host.code(account.id, { tags: ['another'] });
    const { data: job } = await start(data.id);
    await run();
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({
      status: 'done',
      succeeded: 199,
      failed: 1,
    });
    expect((await read<JobProblem[]>(`/api/jobs/${job.id}/problems`)).data).toEqual([
      { codeId: null, code: null, row: 201, reason: 'account_tags_too_many' },
    ]);
  });

  test('many rows become codes in order, each once, even if several hosts work on them and one stops midway', async () => {
    const rows = Array.from({ length: 240 }, (_, index) => `https://a.example/${index}`);
    const { data } = await upload(`url\n${rows.join('\n')}`);
    const { data: job } = await start(data.id);
    await runBatch(host.deps, job.id);
    expect(await own()).toHaveLength(100);
    await Promise.all([run(), run(), run()]);
    expect((await own()).map(({ content }) => content)).toEqual(rows);
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({ status: 'done', succeeded: 240 });
  });

  test('a stopped import keeps the codes it has created', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => `https://a.example/${index}`);
    const { data } = await upload(`url\n${rows.join('\n')}`);
    const { data: job } = await start(data.id);
    await runBatch(host.deps, job.id);
    await host.request(`/api/jobs/${job.id}/stop`, { method: 'POST', token: account.token });
    await run();
    expect(await own()).toHaveLength(100);
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({
      status: 'stopped',
      succeeded: 100,
    });
  });

  test('a file is private to its account, needs a subscription, and is dropped after a day or with the account', async () => {
    const { data } = await upload('url\nhttps://a.example/\n');
    const other = await host.account();
    expect((await read(`/api/imports/${data.id}`, other.token)).status).toBe(404);
    expect((await start(data.id, {}, other.token)).status).toBe(404);
    expect((await read(`/api/imports/${randomUUID()}`)).status).toBe(404);
    const lapsed = await host.account({ access: false });
    expect((await upload('url\nhttps://a.example/\n', 'a.csv', lapsed.token)).status).toBe(402);
    await dropOldJobs(host.db.orm, new Date(host.clock.now().getTime() + DAY_MS + 1));
    expect((await read(`/api/imports/${data.id}`)).status).toBe(404);
    const { data: kept } = await upload(`url\nhttps://a.example/\n${'x:\n'.repeat(501)}`);
    const problemsOfKept = () =>
      host.db.orm.select().from(codeImportProblems).where(eq(codeImportProblems.importId, kept.id));
    expect(await problemsOfKept()).toHaveLength(1);
    await start(kept.id);
    await dropOldJobs(host.db.orm, new Date(host.clock.now().getTime() + DAY_MS + 1));
    expect((await read(`/api/imports/${kept.id}`)).status).toBe(200);
    const body = JSON.stringify({ password: account.password });
    await host.request('/api/account', { method: 'DELETE', body, token: account.token });
    expect(await host.db.orm.select().from(codeImports).where(eq(codeImports.accountId, account.id))).toEqual(
      [],
    );
    expect(
      await host.db.orm.select().from(codeImportParts).where(eq(codeImportParts.importId, kept.id)),
    ).toEqual([]);
    expect(await problemsOfKept()).toEqual([]);
    await run();
  });
});
