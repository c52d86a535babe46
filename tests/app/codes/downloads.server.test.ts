import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/check': 'codes/files/check-page.tsx',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(() => website.close());

const codeWith = async (style: Partial<Style> | null) =>
  (await website.host.code(account.id, { style: style && { ...DEFAULT_STYLE, ...style } })).id;

async function check(id: string, query: string): Promise<string> {
  const answer = await browser.open(`/user/qrcodes/${id}/check?${query}`);
  expect(answer.status).toBe(200);
  return answer.text();
}

test.each([
  ['format=pdf&millimetres=120', 120],
  ['format=png&pixels=1&millimetres=15', 15],
  ['format=pdf&millimetres=501', 40],
  ['format=pdf&millimetres=40.5', 40],
  ['', 40],
])('beside the files of "%s" stands the distance for %i mm', async (query, width) => {
  const page = await (await browser.open(`/user/qrcodes/${await codeWith(null)}?${query}`)).text();
  expect(page).toContain(`${width} mm wide: readable from up to`);
});

const LONG_WIFI = `WIFI:T:WPA;S:${'ä'.repeat(16)};P:${'p'.repeat(63)};;`;

test.each([
  [{}, '', 17, null],
  [{ style: { ...DEFAULT_STYLE, frame: 'ticket', caption: 'Menu' } as const }, 'millimetres=15', 20, 15],
  [{ type: 'wifi', content: LONG_WIFI } as const, 'millimetres=20', 26, 20],
])('beside the files stands the least width in print: %j, %s', async (fields, query, least, tooSmall) => {
  const { id } = await website.host.code(account.id, fields);
  const page = await (await browser.open(`/user/qrcodes/${id}?${query}`)).text();
  expect(page).toContain(`Print it at least ${least} mm wide`);
  const warning = `At ${tooSmall} mm this code is hard to scan. Make it at least ${least} mm wide.`;
  expect(page.includes(warning)).toBe(tooSmall !== null);
  expect(await check(id, 'format=png&size=600')).toContain(
    `<dt>Least width in print</dt><dd>${least} mm</dd>`,
  );
  const narrow = 'This file is narrower than that';
  expect(await check(id, 'format=pdf&size=15')).toContain(narrow);
  expect(await check(id, `format=pdf&size=${least}`)).not.toContain(narrow);
});

test('a code that needs more room than usual is offered in that width', async () => {
  const content = `WIFI:T:WPA;S:${'ä'.repeat(16)};P:${'p'.repeat(600)};;`;
  const { id } = await website.host.code(account.id, { type: 'wifi', content });
  const page = await (await browser.open(`/user/qrcodes/${id}`)).text();
  const [, least] = /Print it at least (\d+) mm wide/.exec(page) ?? [];
  expect(Number(least)).toBeGreaterThan(40);
  expect(page).toMatch(new RegExp(`<input[^>]*name="millimetres"[^>]*value="${least}"`));
});

test.each([
  ['x'.repeat(200), true],
  ['x'.repeat(1_273), true],
  ['x'.repeat(1_274), false],
  ['7'.repeat(3_057), true],
])(
  'a direct file is only offered for content that fits a code, and says why otherwise',
  async (content, fits) => {
    const { id } = await website.host.code(account.id, { type: 'text', content });
    const page = await (await browser.open(`/user/qrcodes/${id}`)).text();
    expect(page.includes('name="variant"')).toBe(fits);
    expect(page.includes('This content is too much for a code that holds it itself.')).toBe(!fits);
    expect(/A direct file has smaller modules: print it at least \d+ mm wide\./.test(page)).toBe(fits);
  },
);

test('the check of a file names its format, size, content and decoders, and every view of its look', async () => {
  const id = await codeWith({ moduleShape: 'dots', ringShape: 'circle', transparentGround: true });
  const query = 'format=png&size=600&variant=tracked';
  const page = await check(id, query);
  const { byteLength } = await (await browser.open(`/user/qrcodes/${id}/download?${query}`)).arrayBuffer();
  const kilobytes = (byteLength / 1000).toLocaleString('en-GB', { maximumFractionDigits: 1 });
  for (const value of ['PNG', '600 px', `${kilobytes} kB`, 'zxing, ZBar and jsQR']) {
    expect(page).toContain(`<dd>${value}</dd>`);
  }
  expect(page).toContain('it was read on white');
  expect(page).toMatch(/<bdi class="mono">HTTPS?:[^<]+\/R\/\w{8}<\/bdi>/i);
  expect(page).toContain(`href="/user/qrcodes/${id}/download?${query.replaceAll('&', '&amp;')}"`);
  const rows = Array.from(page.matchAll(/<th scope="row">([^<]+)<\/th>(.*?)<\/tr>/g));
  expect(rows.map(([, name]) => name)).toEqual([
    'Large',
    'Medium-sized',
    'Small',
    'Turned',
    'Tilted',
    'Blurred',
    'Dim',
    'Faded',
    'Half in shadow',
    'Noisy',
    'Poor JPEG',
    'Coloured page',
    'Clear picture',
    'Clear picture, larger',
    'Picture of the PDF',
  ]);
  const readings = rows.flatMap(([, , cells = '']) => cells.match(/<td>(?:not )?read<\/td>/g) ?? []);
  expect(readings).toHaveLength(45);
  const [, read] = /read in (\d+) of 36 views/.exec(page) ?? [];
  const inViews = readings.slice(0, 36).filter((reading) => reading === '<td>read</td>');
  expect(inViews).toHaveLength(Number(read));
});

test('a file of dark squares on white needs one decoder and no grade', async () => {
  const page = await check(await codeWith(null), 'format=pdf&size=40');
  for (const value of ['PDF', '40 mm', 'zxing']) expect(page).toContain(`<dd>${value}</dd>`);
  expect(page).toContain('need one decoder that reads the file');
  expect(page).not.toContain('<table');
});

test.each([
  ['format=gif&size=400', 'download_unclear'],
  ['format=png&size=100000', 'download_pixels'],
  ['format=png&size=400', 'download_grade'],
])('without a file, %s leads back to the code and says why', async (query, key) => {
  const id = await codeWith({ moduleColour: '#d0d0d0', cornerColour: '#d0d0d0' });
  const answer = await browser.open(`/user/qrcodes/${id}/check?${query}`);
  expect(statusAndLocation(answer)).toEqual([303, `/user/qrcodes/${id}?${query}#downloads`]);
  expect(await browser.notices()).toMatchObject([{ type: 'error', key }]);
});

test("a stranger's file is not checked", async () => {
  const id = await codeWith(null);
  const stranger = await openBrowser(website, await website.host.account());
  expect((await stranger.open(`/user/qrcodes/${id}/check?format=png`)).status).toBe(404);
});

test.each([
  ['png', 300, 'image/png', 'qr-destination-example-300.png'],
  ['png', 4096, 'image/png', 'qr-destination-example-4096.png'],
  ['jpeg', 300, 'image/jpeg', 'qr-destination-example-300.jpg'],
  ['svg', 10_000, 'image/svg+xml', 'qr-destination-example-10000.svg'],
  ['pdf', 15, 'application/pdf', 'qr-destination-example-15mm.pdf'],
])('a %s file %i wide is whole, not cached, and cannot run scripts', async (format, size, type, name) => {
  const answer = await browser.open(
    `/user/qrcodes/${await codeWith(null)}/download?format=${format}&size=${size}`,
  );
  const { byteLength } = await answer.arrayBuffer();
  expect(byteLength).toBeGreaterThan(500);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'content-length': String(byteLength),
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; img-src data:; sandbox",
  });
});

test('a file is titled as its code is named', async () => {
  const { id } = await website.host.code(account.id, { name: 'Menu & wine' });
  const answer = await browser.open(`/user/qrcodes/${id}/download?format=svg&size=400`);
  expect(await answer.text()).toContain('<title>Menu &#38; wine</title>');
});

test.each([
  [
    'private',
    'tracked',
    /^<title>go\.quadrille\.example\/\w\/\w{8}<\/title>$/i,
    /^qr-go-quadrille-example-\w-\w{8}-1024\.svg$/i,
  ],
  [
    'private',
    'direct',
    /^<title>go\.quadrille\.example\/\w\/\w{8}<\/title>$/i,
    /^qr-go-quadrille-example-\w-\w{8}-direct-1024\.svg$/i,
  ],
  [
    'public',
    'tracked',
    /^<title>go\.quadrille\.example\/\w\/\w{8}<\/title>$/i,
    /^qr-board-minutes-example-1024\.svg$/,
  ],
  [
    'public',
    'direct',
    /^<title>board-minutes\.example<\/title>$/,
    /^qr-board-minutes-example-direct-1024\.svg$/,
  ],
] as const)(
  'the title and name of a %s %s file without a name of its own',
  async (visibility, variant, title, name) => {
    const content = 'https://board-minutes.example/';
    const { id } = await website.host.code(account.id, { content, visibility });
    const answer = await browser.open(`/user/qrcodes/${id}/download?format=svg&variant=${variant}`);
    const [, fileName] = /filename="(.*)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
    const [shown] = /<title>.*<\/title>/.exec(await answer.text()) ?? [];
    expect(shown).toMatch(title);
    expect(fileName).toMatch(name);
  },
);

test('content that fits no code is not answered with the advice to choose a larger file', async () => {
  const { id } = await website.host.code(account.id, { type: 'wifi', content: 'x'.repeat(1_300) });
  const answer = await browser.open(`/user/qrcodes/${id}/download?format=svg`);
  expect(statusAndLocation(answer)).toEqual([303, `/user/qrcodes/${id}?format=svg#downloads`]);
  expect(await browser.notices()).toMatchObject([{ key: 'download_too_long' }]);
});

test('without its logo there is no file, and the page of the code says so', async () => {
  const { id } = await website.host.code(account.id, { logoPreset: 'missing.svg' as 'heart.svg' });
  const answer = await browser.open(`/user/qrcodes/${id}/download?format=png`);
  expect(statusAndLocation(answer)).toEqual([303, `/user/qrcodes/${id}?format=png#downloads`]);
  expect(await browser.notices()).toMatchObject([{ key: 'download_unreadable', persistent: true }]);
});
