import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { logos } from '#host/db/codes.tables';
import { insertManyCodes } from '../../support/many-codes';
import type { TestWebsite } from '../../support/website';
import { createZipWebsite, DOWNLOAD, makeCodes, openZip, queryOf } from './zip-website';

const PAGE = '/user/qrcodes/zip';

let website: TestWebsite;

beforeAll(async () => {
  website = await createZipWebsite();
});
afterAll(() => website.close());

test('a ZIP contains a decodable file of each code and a table of their contents', async () => {
  const { decodeImage } = await import('~/codes/pictures/decode.server');
  const as = await website.host.account();
  const link = await website.host.code(as.id, { content: 'https://menu.example/', logoPreset: 'heart.svg' });
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/json' }, token: as.token };
  const tags = JSON.stringify({ tags: ['terrace', 'lunch'] });
  await website.host.request(`/api/qrcodes/${link.id}`, { ...patch, body: tags });
  const same = await website.host.code(as.id, { content: 'https://menu.example/' });
  const formula = await website.host.code(as.id, { type: 'text', content: '=1+1' });
  const wifi = await website.host.code(as.id, {
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Gäste;P:welcome-2026;;',
  });
  const codes = [link, same, formula, wifi];
  const query = queryOf(
    codes.map(({ id }) => id),
    { format: 'png', pixels: '400' },
  );
  const answer = await website.browse(DOWNLOAD + query, { as });
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="qr-codes-[\d-]{10}\.zip"$/,
  );
  const { files, rows } = await openZip(answer);
  expect(Object.keys(files)).toEqual([
    'qr-menu-example-400.png',
    'qr-menu-example-2-400.png',
    'qr-1-1-400.png',
    'qr-gaste-direct-400.png',
    'codes.csv',
  ]);
  const read = await Promise.all(
    rows.map(({ file }) => decodeImage(files[file ?? ''] ?? new Uint8Array(), 400)),
  );
  expect(read).toEqual([
    ...[link, same, formula].map(({ slug }) => expect.stringMatching(new RegExp(`/R/${slug}$`))),
    wifi.content,
  ]);
  expect(rows.map(({ content }) => content)).toEqual([
    'https://menu.example/',
    'https://menu.example/',
    "'=1+1",
    wifi.content,
  ]);
  expect(rows.map(({ address }) => address)).toEqual([
    ...[link, same, formula].map(({ slug }) => expect.stringMatching(new RegExp(`/l/${slug}$`, 'i'))),
    '',
  ]);
  expect(rows[0]?.tags).toBe('terrace, lunch');
});

test('the table of a ZIP grades the codes with a look of their own, and the file is not cached', async () => {
  const as = await website.host.account();
  const plain = await website.host.code(as.id);
  const style = { ...DEFAULT_STYLE, moduleShape: 'dots' as const };
  const styled = await website.host.code(as.id, { style });
  const answer = await website.browse(DOWNLOAD + queryOf([plain.id, styled.id], { format: 'svg' }), { as });
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  const { rows } = await openZip(answer);
  expect(rows.map(({ grade }) => grade)).toEqual(['', expect.stringMatching(/^[ABC]$/)]);
});

test('a ZIP contains the largest picture of a code with much content in a look that takes long to grade', async () => {
  const as = await website.host.account();
  const content = 'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor '.repeat(5);
  const style = {
    ...DEFAULT_STYLE,
    moduleShape: 'dots',
    ringShape: 'circle',
    centreShape: 'circle',
    frame: 'ticket',
    caption: 'Scan for the menu',
    gradientColour: '#a4210d',
    gradientAngle: 45,
  } as const;
  const code = await website.host.code(as.id, { type: 'text', content: content.trim(), style });
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  onTestFinished(() => {
    pool.run = run;
  });
  // Only processor time counts: the tests beside this one take the elapsed time.
  pool.run = (task, input, options) => run(task, input, { ...options, timeoutMs: 170_000 });
  const query = queryOf([code.id], { format: 'png', pixels: '4096', variant: 'direct' });
  const { files, rows } = await openZip(await website.browse(DOWNLOAD + query, { as }));
  expect(rows).toMatchObject([{ problem: '', grade: 'B' }]);
  expect(Object.keys(files)).toHaveLength(2);
}, 180_000);

test.each([
  ['svg', { format: 'svg' }, 'qr-made-example-1-1024.svg'],
  ['jpeg', { format: 'jpeg', pixels: '300' }, 'qr-made-example-1-300.jpg'],
  [
    'direct pdf',
    { format: 'pdf', millimetres: '83', variant: 'direct' },
    'qr-made-example-1-direct-83mm.pdf',
  ],
])('a ZIP of %s files', async (_, choice, name) => {
  const as = await website.host.account();
  const [id = ''] = await makeCodes(website, as, 1);
  const { files } = await openZip(await website.browse(DOWNLOAD + queryOf([id], choice), { as }));
  expect(Object.keys(files)).toEqual([name, 'codes.csv']);
});

test('all codes of a list are selected without naming them, but never those of other accounts', async () => {
  const as = await website.host.account();
  await makeCodes(website, as, 12);
  const [theirs = ''] = await makeCodes(website, await website.host.account(), 1);
  const { files, rows } = await openZip(
    await website.browse(`${DOWNLOAD}?all=1&format=svg&id=${theirs}`, { as }),
  );
  expect(Object.keys(files)).toHaveLength(13);
  expect(rows).toHaveLength(12);
});

test('a selection too large for a URL is posted, for both page and file', async () => {
  const as = await website.host.account({ access: false });
  const gone = Array.from({ length: 62 }, () => crypto.randomUUID());
  const ids = [...(await makeCodes(website, as, 40)), ...gone];
  const post = (path: string, more: Record<string, string>) =>
    website.browse(path, { as, method: 'POST', body: new URLSearchParams(queryOf(ids, more)) });
  const page = await (await post(PAGE, {})).text();
  expect(page).toContain('Download 102 codes as a ZIP');
  expect(page).toContain('method="post" action="/user/qrcodes/zip/download"');
  expect(page).toContain(`name="ids" value="${ids.join(',')}"`);
  const body = new URLSearchParams({ ids: ids.join(','), format: 'svg' });
  const { files, rows } = await openZip(await website.browse(DOWNLOAD, { as, method: 'POST', body }));
  expect([Object.keys(files).length, rows.length]).toEqual([41, 102]);
});

test('a code that cannot be drawn is listed with the reason, and the other files are included', async () => {
  const as = await website.host.account();
  const [id = '', gone = ''] = await makeCodes(website, as, 2);
  await website.host.request(`/api/qrcodes/${gone}`, { method: 'DELETE', token: as.token });
  const long = await website.host.code(as.id, { type: 'wifi', content: 'x'.repeat(1_300) });
  const { files, rows } = await openZip(
    await website.browse(DOWNLOAD + queryOf([long.id, gone, id], { format: 'svg' }), { as }),
  );
  expect(Object.keys(files)).toEqual(['qr-made-example-1-1024.svg', 'codes.csv']);
  expect(rows.map(({ file, problem }) => [file, problem])).toEqual([
    ['', expect.stringMatching(/^The content is too much for a code that holds it itself/)],
    ['', 'This code was deleted, or it is not one of yours.'],
    ['qr-made-example-1-1024.svg', ''],
  ]);
});

test('the page names the codes that will be missing among direct files, and the least width in print', async () => {
  const as = await website.host.account();
  const codes = [
    await website.host.code(as.id, { name: 'Short' }),
    await website.host.code(as.id, { name: 'Terms', type: 'text', content: 'x'.repeat(1_300) }),
  ];
  const pageOf = async (ids: string[]) => (await website.browse(PAGE + queryOf(ids), { as })).text();
  const page = await pageOf(codes.map(({ id }) => id));
  expect(page).toMatch(
    /1 code holds too much for a direct file and will be missing from the ZIP:(?:<!-- -->| )+Terms</,
  );
  expect(page).toContain('In print, these codes should be at least 17 mm wide.');
  expect(await pageOf(codes.slice(0, 1).map(({ id }) => id))).not.toContain('will be missing');
});

test('an invalid title or logo does not prevent the other files', async () => {
  const as = await website.host.account();
  const odd = await website.host.code(as.id, { type: 'text', content: 'Menu\u001b\uffff' });
  const named = await website.host.code(as.id, { name: 'Terrace \uffff' });
  const logo = { id: crypto.randomUUID(), name: 'logo.png', png: Buffer.from('no picture') };
  await website.host.db.orm.insert(logos).values({ ...logo, createdAt: new Date() });
  const broken = await website.host.code(as.id, { logoId: logo.id });
  const ids = [broken, odd, named].map(({ id }) => id);
  const query = queryOf(ids, { format: 'svg' });
  const { files, rows } = await openZip(await website.browse(DOWNLOAD + query, { as }));
  expect(Object.keys(files)).toEqual(['qr-menu-1024.svg', 'qr-terrace-1024.svg', 'codes.csv']);
  expect(rows.map(({ problem }) => problem)).toEqual([
    'The file could not be made because of a fault of ours. Try again later.',
    '',
    '',
  ]);
});

test('no codes, too many codes and an invalid width are refused with a way to continue', async () => {
  const as = await website.host.account();
  const [id = ''] = await makeCodes(website, as, 1);
  const goTo = async (query: string) => {
    const answer = await website.browse(DOWNLOAD + query, { as });
    return [answer.status, answer.headers.get('location')];
  };
  expect(await goTo('?format=png')).toEqual([303, '/user/qrcodes']);
  expect(await goTo('?format=png&id=../../etc')).toEqual([303, '/user/qrcodes']);
  const many = Array.from({ length: 1_001 }, () => crypto.randomUUID());
  const body = new URLSearchParams(queryOf(many, { format: 'png' }));
  const refused = await website.browse(DOWNLOAD, { as, method: 'POST', body });
  expect([refused.status, refused.headers.get('location')]).toEqual([303, '/user/qrcodes']);
  const [, back] = await goTo(queryOf([id], { format: 'pdf', millimetres: '4"' }));
  expect(back).toContain('/user/qrcodes/zip?');
  const page = await website.browse(String(back), { as });
  const html = await page.text();
  expect(page.status).toBe(400);
  expect(html).toContain('<title>Error: Download as a ZIP');
  expect(html).toContain(
    'href="#zip-millimetres">Give the width for print in whole millimetres, from 15 to 500.',
  );
  expect(html).toContain('value="4&quot;"');
  const empty = await website.browse(PAGE, { as });
  expect(await empty.text()).toContain('No codes selected');
  const stranger = await website.browse(`${DOWNLOAD}?all=1&format=png`);
  expect(stranger.headers.get('location')).toMatch(/^\/login\?next=/);
});

test('the page warns of dark paper only at the formats that leave a background out', async () => {
  const as = await website.host.account();
  const [usual, groundless] = await Promise.all([
    website.host.code(as.id),
    website.host.code(as.id, { style: { ...DEFAULT_STYLE, transparentGround: true } }),
  ]);
  const warned = async (ids: string[]) => {
    const page = await (await website.browse(PAGE + queryOf(ids), { as })).text();
    const hints = Array.from(page.matchAll(/id="zip-format[\w-]*-about"[^>]*>([^<]*)/g), ([, hint]) => hint);
    return hints.map((hint) => hint?.includes('On dark paper no reader finds them.'));
  };
  // In the order of the page: PNG, JPEG, SVG and PDF.
  expect(await warned([usual.id])).toEqual([false, false, false, false]);
  expect(await warned([usual.id, groundless.id])).toEqual([true, false, true, false]);
});

test('more than 1,000 matching codes are offered and downloaded in parts', async () => {
  const as = await website.host.account();
  await insertManyCodes(website.host, as.id, 2_002);
  const page = await (await website.browse(`${PAGE}?all=1`, { as })).text();
  const offered = Array.from(
    page.matchAll(/<button type="submit" class="button" name="part" value="(\d)">([^<]*)/g),
    ([, part, label]) => [part, label],
  );
  expect(offered).toEqual([
    ['1', 'Download 1 to 1000'],
    ['2', 'Download 1001 to 2000'],
    ['3', 'Download 2001 to 2002'],
  ]);
  expect(page).toContain(
    'A file takes 1,000 codes, in the order you choose: download these 3 one after the other',
  );
  expect(page).toContain('method="get" action="/user/qrcodes/zip/download"');
  const answer = await website.browse(`${DOWNLOAD}?all=1&sort=list&format=svg&part=3`, { as });
  expect(answer.headers.get('content-disposition')).toMatch(/filename="qr-codes-[\d-]{10}-3\.zip"$/);
  // The newest code comes first.
  expect((await openZip(answer)).rows.map(({ content }) => content)).toEqual([
    'https://made.example/1',
    'https://made.example/0',
  ]);
  const beyond = await website.browse(`${DOWNLOAD}?all=1&sort=list&format=svg&part=4`, { as });
  expect([beyond.status, beyond.headers.get('location')]).toEqual([303, '/user/qrcodes']);
  const few = await (await website.browse(`${PAGE}?all=1&search=made.example%2F77`, { as })).text();
  expect(few).not.toContain('name="part"');
});
