import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListedCode } from '#contract/codes';
import type { ImportReport } from '#contract/imports';
import type { Job, JobProblem } from '#contract/jobs';
import { DAY_MS } from '#contract/time';
import { runBatch } from '#host/codes/bulk/run';
import { dropOldCodeJobs } from '#host/codes/bulk/store';
import { activities } from '#host/db/accounts.tables';
import { codeImportDuplicates, codeImportParts, codeImportProblems, codeImports } from '#host/db/jobs.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readCsv } from '../statistics/read-csv';
import { importCalls } from './import-calls';

describe('import', () => {
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
      ...texts,
      content: "a;=cmd|'/C calc'!A1;\n- one; \"+2\"\n'=three",
      name: "'=A1; ''-B2",
      tags: ['a;=b', "c|'+d"],
    });
    await host.code(account.id, { type: 'link', content: 'https://example.com/a,b;=c;-d?e=f' });
    await host.code(account.id, {
      type: 'email',
      content: '=ada@example.com',
      subject: '-20 %',
      body: '@all\n+1',
    });
    await host.code(account.id, { type: 'wifi', content: 'WIFI:T:WPA;S:=Café;P:@password;;' });
    const exported = await host.request('/api/qrcodes/codes.csv', { token: account.token });
    const listed = async () => (await host.request('/api/qrcodes', { token: account.token })).json();
    const { data: codesBefore } = (await listed()) as { data: ListedCode[] };
    account = await host.account();
    const { data } = await upload(new Uint8Array(await exported.arrayBuffer()));
    expect(data).toMatchObject({ source: 'quadrille', rows: 7, valid: 7, problems: [] });
    await start(data.id);
    await run();
    const { data: codesAfter } = (await listed()) as { data: ListedCode[] };
    const reported = ({ type, content, subject, body, visibility, name, tags }: ListedCode) => {
      return { type, content, subject, body, visibility, name, tags };
    };
    // Exports list the newest codes first.
    expect(codesAfter.map(reported).toReversed()).toEqual(codesBefore.map(reported));
  });

  test('rows that repeat another row or an existing code are duplicates, and skipped on request', async () => {
    await host.code(account.id, { content: 'https://known.example/' });
    const file =
      'url,name\nhttps://known.example/,a\nhttps://new.example/,b\nnew.example/,c\nhttps://new.example/,d\nknown.example/,e\n';
    const { data } = await upload(file);
    expect(data.duplicates).toEqual([
      { row: 2, of: null },
      { row: 4, of: 3 },
      { row: 5, of: 3 },
      { row: 6, of: 2 },
    ]);
    const { data: job } = await start(data.id, { skipDuplicates: true });
    expect(job.total).toBe(1);
    await run();
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({ status: 'done', succeeded: 1 });
    expect((await own()).map(({ name }) => name)).toEqual([null, 'b']);
    const again = await upload(file);
    expect(again.data.duplicateCount).toBe(5);
    expect(await start(again.data.id, { skipDuplicates: true })).toMatchObject({
      status: 422,
      errors: { file: ['import_nothing_left'] },
    });
    const { data: all } = await start(again.data.id);
    await run();
    expect((await read<Job>(`/api/jobs/${all.id}`)).data.succeeded).toBe(5);
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

  test('tags that only deleted codes have take no place', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => `https://a.example/${index},tag ${index}`);
    const { data: first } = await upload(`url,tags\n${rows.join('\n')}\n`);
    await start(first.id);
    await run();
    await host.db.orm.execute(sql`update tags set codes = 0 where account_id = ${account.id}`);
    const { data } = await upload('url,tags\nhttps://b.example/,another\n');
    expect(data).toMatchObject({ valid: 1, problemCount: 0 });
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

  test('an import whose file is gone ends without codes', async () => {
    const { data } = await upload('url\nhttps://a.example/\n');
    const { data: job } = await start(data.id);
    await host.db.orm.delete(codeImportParts).where(eq(codeImportParts.importId, data.id));
    await run();
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({
      status: 'done',
      succeeded: 0,
      failed: 0,
    });
    expect(await own()).toEqual([]);
  });

  test('a file is private to its account, needs a subscription, and is dropped after a day or with the account', async () => {
    const { data } = await upload('url\nhttps://a.example/\n');
    const other = await host.account();
    expect((await read(`/api/imports/${data.id}`, other.token)).status).toBe(404);
    expect((await start(data.id, {}, other.token)).status).toBe(404);
    expect((await read(`/api/imports/${randomUUID()}`)).status).toBe(404);
    const lapsed = await host.account({ access: false });
    expect((await upload('url\nhttps://a.example/\n', 'a.csv', lapsed.token)).status).toBe(402);
    await dropOldCodeJobs(host.db.orm, new Date(host.clock.now().getTime() + DAY_MS + 1));
    expect((await read(`/api/imports/${data.id}`)).status).toBe(404);
    const { data: kept } = await upload(`url\n${'https://a.example/\n'.repeat(502)}${'x:\n'.repeat(501)}`);
    const problemsOfKept = () =>
      host.db.orm.select().from(codeImportProblems).where(eq(codeImportProblems.importId, kept.id));
    const duplicatesOfKept = () =>
      host.db.orm.select().from(codeImportDuplicates).where(eq(codeImportDuplicates.importId, kept.id));
    expect([(await problemsOfKept()).length, (await duplicatesOfKept()).length]).toEqual([1, 1]);
    await start(kept.id);
    await dropOldCodeJobs(host.db.orm, new Date(host.clock.now().getTime() + DAY_MS + 1));
    expect((await read(`/api/imports/${kept.id}`)).status).toBe(200);
    const body = JSON.stringify({ password: account.password });
    await host.request('/api/account', { method: 'DELETE', body, token: account.token });
    expect(await host.db.orm.select().from(codeImports).where(eq(codeImports.accountId, account.id))).toEqual(
      [],
    );
    expect(
      await host.db.orm.select().from(codeImportParts).where(eq(codeImportParts.importId, kept.id)),
    ).toEqual([]);
    expect([...(await problemsOfKept()), ...(await duplicatesOfKept())]).toEqual([]);
    await run();
  });
});
