import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ListedCode } from '#contract/codes';
import type { SavedStyle } from '#contract/styles';
import { runDueJobs } from '#host/codes/bulk/run';
import type { Examination } from '~/codes/look/scan-report';
import { readCsv } from '../../host/statistics/read-csv';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';
import { finderLogo } from './pictures/logos';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/import': 'codes/import/page.tsx',
    '/user/qrcodes/import/:id': 'codes/import/report-page.tsx',
    '/user/qrcodes/import/:id/:list.csv': 'codes/import/rows-route.ts',
    '/user/qrcodes/import/template.csv': 'codes/import/template-route.ts',
    '/user/qrcodes/jobs/:id': 'codes/list/job-page.tsx',
    '/user/qrcodes/jobs/:id/codes.csv': 'codes/import/made-codes-route.ts',
  });
});
afterAll(async () => website.close());

async function upload(as: TestAccount, content: string | null, name = 'codes.csv') {
  const body = new FormData();
  if (content !== null) body.set('file', new File([content], name, { type: 'text/csv' }));
  const answer = await website.browse('/user/qrcodes/import', { method: 'POST', body, as });
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
}

async function open(path: string, as: TestAccount) {
  const answer = await website.browse(path, { as });
  return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() };
}

test('a file yields a report, from which codes are created once, with a table of their addresses', async () => {
  const as = await website.host.account();
  const uploaded = await upload(
    as,
    'name,content\nMenu,https://menu.example/\nBad,javascript:alert(1)\nAgain,https://menu.example/\n',
    '<b>menu</b>.csv',
  );
  expect([uploaded.status, uploaded.to]).toEqual([
    303,
    expect.stringMatching(/^\/user\/qrcodes\/import\/.{36}$/),
  ]);
  const report = await open(uploaded.to, as);
  expect(report.text).toContain('“&lt;b&gt;menu&lt;/b&gt;.csv”');
  expect(report.text).toContain('2 rows can become codes');
  expect(report.text).toMatch(
    /<th scope="row">3<\/th><td>content<\/td><td class="mono">javascript:alert\(1\)<\/td>/,
  );
  expect(report.text).toContain('Skip 1 duplicate row');
  expect((await open(uploaded.to, await website.host.account())).status).toBe(404);

  const start = async () => {
    const body = new URLSearchParams({ skipDuplicates: 'on' });
    return (await website.browse(uploaded.to, { method: 'POST', body, as })).headers.get('location') ?? '';
  };
  const job = await start();
  expect(job).toMatch(/^\/user\/qrcodes\/jobs\//);
  expect(await start()).toBe(job);
  await runDueJobs(website.host.deps, new AbortController().signal);
  const done = (await open(job, as)).text;
  expect(done).toContain('Done: 1 of 1 code');
  expect(done).toContain(`href="${uploaded.to}/problems.csv"`);
  expect((await open(`${job}/codes.csv`, as)).text).toMatch(/^2,Menu,link,https:\/\/menu\.example\/,,http/m);
  expect((await open(uploaded.to, as)).to).toBe(job);
});

test('a report with many problems has pages, and all are in one CSV file in the reader’s language', async () => {
  const as = await website.host.account();
  const rows = Array.from({ length: 1_200 }, (_, index) => `=cmd|${index}`);
  const { to } = await upload(as, `content,name\nhttps://ok.example/,ok\n${rows.join('\n')}\n`);
  const rowsOf = (text: string) =>
    [...text.matchAll(/<th scope="row">(\d+)<\/th><td>content/g)].map(([, n]) => n);
  const first = await open(to, as);
  expect([rowsOf(first.text).length, rowsOf(first.text)[0]]).toEqual([500, '3']);
  expect(first.text).toContain(`href="${to}?page=3#import-problems"`);
  expect(first.text).toContain(`href="${to}/problems.csv"`);
  for (const page of ['3', '99']) {
    const last = await open(`${to}?page=${page}`, as);
    expect([rowsOf(last.text).length, rowsOf(last.text).at(-1)]).toEqual([200, '1202']);
  }
  for (const page of ['0', '-1', '1.5', 'x', '']) {
    expect(rowsOf((await open(`${to}?page=${page}`, as)).text)[0]).toBe('3');
  }
  const answer = await website.browse(`${to}/problems.csv`, { as, headers: { 'accept-language': 'de' } });
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="import-problems.csv"');
  const csv = readCsv(Buffer.from(await answer.arrayBuffer()).toString());
  expect(csv.rows).toHaveLength(1_200);
  expect(csv.rows[0]).toEqual({
    Zeile: '3',
    Spalte: 'content',
    'In der Datei': "'=cmd|0",
    'Was nicht stimmt': expect.stringMatching(/^Geben Sie eine Webadresse/),
  });
  expect(csv.rows.at(-1)).toMatchObject({ Zeile: '1202', 'In der Datei': "'=cmd|1199" });
  expect((await open(`${to}/problems.csv`, await website.host.account())).status).toBe(404);
  expect((await open(`${to}/others.csv`, as)).status).toBe(404);
});

test('a report with many duplicates has pages beside those of its problems, and all are in one CSV file', async () => {
  const as = await website.host.account();
  await website.host.code(as.id, { content: 'https://known.example/' });
  const rows = [
    'https://known.example/',
    ...Array.from({ length: 1_001 }, () => 'https://again.example/'),
    ...Array.from({ length: 501 }, (_, index) => `=cmd|${index}`),
  ];
  const { to } = await upload(as, `content\n${rows.join('\n')}\n`);
  const duplicatesOf = (text: string) =>
    [...text.matchAll(/<th scope="row">(\d+)<\/th><td>([^<]*)<\/td><\/tr>/g)]
      .map(([, row, same]) => [row, same])
      .filter(([, same]) => same === '3' || same === 'One of your codes');
  const first = await open(to, as);
  expect([duplicatesOf(first.text).length, duplicatesOf(first.text)[0]]).toEqual([
    500,
    ['2', 'One of your codes'],
  ]);
  expect(first.text).toContain(`href="${to}?duplicates=3#import-duplicates"`);
  const last = await open(`${to}?page=2&duplicates=3`, as);
  expect(duplicatesOf(last.text)).toEqual([['1003', '3']]);
  expect(last.text).toContain('=cmd|500');
  expect(last.text).toContain(`href="${to}?page=2&amp;duplicates=2#import-duplicates"`);
  expect(last.text).toContain(`href="${to}?duplicates=3&amp;page=1#import-problems"`);
  expect(last.text).toContain(`href="${to}/duplicates.csv"`);

  const answer = await website.browse(`${to}/duplicates.csv`, { as, headers: { 'accept-language': 'de' } });
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="import-duplicates.csv"');
  const csv = readCsv(Buffer.from(await answer.arrayBuffer()).toString());
  expect(csv.rows).toHaveLength(1_001);
  expect(csv.rows[0]).toEqual({ Zeile: '2', Wie: 'Einer Ihrer Codes' });
  expect(csv.rows.at(-1)).toEqual({ Zeile: '1003', Wie: '3' });
  expect((await open(`${to}/duplicates.csv`, await website.host.account())).status).toBe(404);
});

describe('the look of new codes', () => {
  async function prepare() {
    const as = await website.host.account();
    const save = async (body: object) => {
      const saved = await send(website.host, 'POST', '/api/styles', body, as);
      return (saved.body.data as SavedStyle).id;
    };
    const [dots, bars] = [
      await save({ name: 'Dots', style: { moduleShape: 'dots' } }),
      await save({ name: 'Bars', style: { moduleShape: 'bars-vertical' }, isDefault: true }),
    ];
    const { to } = await upload(as, 'content\nhttps://menu.example/\n');
    const post = (fields: Record<string, string>) =>
      website.browse(to, { method: 'POST', body: new URLSearchParams(fields), as });
    const shapes = async () => {
      await runDueJobs(website.host.deps, new AbortController().signal);
      const { body } = await send(website.host, 'GET', '/api/qrcodes', undefined, as);
      return (body.data as ListedCode[]).map(({ style }) => style?.moduleShape ?? null);
    };
    return { as, save, dots, bars, to, post, shapes };
  }
  const optionsIn = (html: string) =>
    [...html.matchAll(/<input type="radio"[^>]*name="readyMade"[^>]*>/g)].map(([input]) => [
      /value="([^"]*)"/.exec(input)?.[1],
      input.includes('checked'),
    ]);

  test('is chosen among saved looks and the plain one, and begins with the default', async () => {
    const { as, dots, bars, to, post, shapes } = await prepare();
    expect(optionsIn((await open(to, as)).text)).toEqual([
      [bars, true],
      [dots, false],
      ['ink', false],
    ]);
    expect((await post({ readyMade: bars })).status).toBe(303);
    expect(await shapes()).toEqual(['bars-vertical']);
  });

  test('is the plain one on request, and begins with it if there is no default', async () => {
    const { as, dots, bars, to, post, shapes } = await prepare();
    await send(website.host, 'PATCH', `/api/styles/${bars}`, { isDefault: false }, as);
    expect(optionsIn((await open(to, as)).text)).toEqual([
      [bars, false],
      [dots, false],
      ['ink', true],
    ]);
    const started = await post({ readyMade: 'ink' });
    expect(started.status).toBe(303);
    expect(await shapes()).toEqual([null]);
    const job = await open(started.headers.get('location') ?? '', as);
    expect(job.text).not.toContain('problems.csv');
  });

  test('is not asked for without saved looks', async () => {
    const as = await website.host.account();
    const { to } = await upload(as, 'content\nhttps://menu.example/\n');
    expect(optionsIn((await open(to, as)).text)).toEqual([]);
  });

  test('has to exist still, and to be chosen', async () => {
    const { as, dots, bars, post, shapes } = await prepare();
    await send(website.host, 'DELETE', `/api/styles/${dots}`, undefined, as);
    const refuse = async (fields: Record<string, string>, sentence: string) => {
      const refused = await post(fields);
      const html = await refused.text();
      expect(refused.status).toBe(422);
      expect(html).toContain(sentence);
      expect(html).toMatch(/<input type="radio"[^>]*aria-invalid="true"/);
      return optionsIn(html);
    };
    expect(await refuse({ readyMade: dots }, 'This look no longer exists.')).toEqual([
      [bars, false],
      ['ink', false],
    ]);
    await refuse({ readyMade: 'terrace' }, 'This look no longer exists.');
    await refuse({}, 'Choose a look.');
    await send(website.host, 'DELETE', `/api/styles/${bars}`, undefined, as);
    expect(await refuse({ readyMade: bars }, 'This look no longer exists.')).toEqual([['ink', false]]);
    expect(await shapes()).toEqual([]);
  });

  test('has to be readable', async () => {
    const { save, post, shapes } = await prepare();
    // A unique background colour, because known looks are not examined again.
    const lemon = await save({ name: 'Lemon', style: { moduleShape: 'dots', groundColour: '#fffde0' } });
    const pool = globalThis.drawingPool;
    if (!pool) throw new Error('nothing draws');
    const run = pool.run.bind(pool);
    const misread = async (...order: Parameters<typeof run>) => {
      const made = (await run(...order)) as Examination;
      return { ...made, scan: { ...made.scan, grade: null } };
    };
    pool.run = misread as typeof run;
    onTestFinished(() => {
      pool.run = run;
    });
    const refused = await post({ readyMade: lemon });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('Scanners would read this look too badly, even without a logo.');
    expect(await shapes()).toEqual([]);
  });
});

test('a logo chosen for a file, one of ours or an uploaded one, is given to all its codes', async () => {
  const as = await website.host.account();
  const logosAfter = async (fields: Record<string, string | File>) => {
    const { to } = await upload(as, 'content\nhttps://menu.example/\nhttps://own.example/\n');
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    expect((await website.browse(to, { method: 'POST', body, as })).status).toBe(303);
    await runDueJobs(website.host.deps, new AbortController().signal);
    const { data } = (await send(website.host, 'GET', '/api/qrcodes?limit=2', undefined, as)).body;
    return (data as ListedCode[]).map(({ logo }) => logo?.name);
  };
  expect(await logosAfter({ logoPreset: 'heart.svg' })).toEqual(['heart.svg', 'heart.svg']);
  const logo = new File([new Uint8Array(await finderLogo())], 'mark.png');
  expect(await logosAfter({ logoPreset: 'none', logo })).toEqual(['mark.png', 'mark.png']);
  expect(await logosAfter({ logoPreset: 'none' })).toEqual([undefined, undefined]);
});

test.each([
  ['no file at all', null, 'Choose a CSV file.'],
  ['a picture', '\u0089PNG\r\n\u001a\n\u0000\u0000', 'This cannot be read as a table.'],
  ['no rows', 'content\n', 'There are no rows in this file.'],
  [
    'too many columns',
    `content${',x'.repeat(200)}\nhttps://a.example/`,
    'This file has more than 200 columns.',
  ],
  ['too many lines', `content\n${'\n'.repeat(30_000)}x`, 'This file has more than 10,000 rows.'],
])('%s is reported at its field', async (_, content, sentence) => {
  const { status, text } = await upload(await website.host.account(), content);
  expect(status).toBe(422);
  expect(text).toContain(sentence);
  expect(text).toMatch(/<input type="file"[^>]*aria-invalid="true"/);
});

test('the template file can be imported unchanged', async () => {
  const as = await website.host.account();
  for (const locale of ['en-GB', 'fr', 'es', 'de', 'it']) {
    const headers = { 'accept-language': locale };
    const template = await website.browse('/user/qrcodes/import/template.csv', { as, headers });
    const bytes = Buffer.from(await template.arrayBuffer()).toString();
    expect(bytes.startsWith('\uFEFFname,type,content,tags,visibility,')).toBe(true);
    const { to } = await upload(as, bytes);
    const { text } = await open(to, as);
    expect(text).toContain('4 rows can become codes');
    expect(text).not.toContain('import-problems');
  }
});
