import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { openBrowser, type TestBrowser, whereTo } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'create.tsx',
    '/user/qrcodes/:id/look': 'user.qrcodes.$id.look.tsx',
    '/user/qrcodes/:id/download': 'user.qrcodes.$id.download.ts',
    '/user/qrcodes/zip/download': 'user.qrcodes.zip_.download.ts',
    '/user/qrcodes/sheet/download': 'user.qrcodes.sheet_.download.ts',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => {
  globalThis.drawingPool?.close();
  await website.close();
});

/** Allowed by the rules, and yet decoders, to whom blue is nearly black, do not tell these colours apart. */
const POOR = {
  moduleColour: '#000000',
  cornerColour: '#000000',
  groundColour: '#3131ff',
  moduleShape: 'dots',
  ringShape: 'leaf',
  centreShape: 'circle',
} as const satisfies Partial<Style>;
const GOOD = { moduleColour: '#14203c', cornerColour: '#14203c', groundColour: '#ffffee' };
const CONTENT =
  'Table 4, by the window that looks at the garden and the old trees, where the bread is warm and the wine is cool';
const FORM = {
  ...{ type: 'text', content: CONTENT, readyMade: 'own', readyMadeBefore: 'own' },
  ...POOR,
};

/** A Wi-Fi code: no address of ours stands in it, so that it is the same in every run. */
async function codeWith(style: Partial<Style>): Promise<string> {
  const form = new FormData();
  form.set(
    'data',
    'WIFI:T:WPA;S:Terrace;P:good food and wine for everybody here, every evening until late;;',
  );
  form.set('type', 'wifi');
  form.set('isPublic', 'true');
  form.set('parameters', JSON.stringify({ width: 300, errorCorrectionLevel: 'H', style }));
  const answer = await website.host.request('/api/qrcodes', {
    method: 'POST',
    body: form,
    token: account.token,
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

const codes = async () => (await send(website.host, 'GET', '/api/qrcodes', undefined, account)).body.data;

function mendsIn(html: string): string[] {
  return Array.from(html.matchAll(/name="mend" value="(\w+)"/g), ([, mend = '']) => mend);
}

test('a look that is read too badly is not created: the form says so, keeps everything and offers mends', async () => {
  const page = await browser.post('/create', { ...FORM, intent: 'create' });
  expect(page.status).toBe(422);
  const html = await page.text();
  expect(html).toContain('Scanners would read this look too badly.');
  expect(html).toMatch(/no grade: read in \d+ of 36 views; 25 are needed/);
  expect(html).toContain('Table 4, by the window');
  expect(html).toContain('value="#3131ff"');
  expect(await codes()).toEqual([]);

  const [mend = ''] = mendsIn(html);
  const mended = await browser.post('/create', { ...FORM, intent: 'create', mend });
  expect(mended.status).toBe(200);
  const better = await mended.text();
  expect(better).toMatch(/grade [ABC]: read in \d+ of 36 views/);
  expect(better).toContain('Table 4, by the window');
  expect(await codes()).toEqual([]);
});

test.each([
  [
    'light on dark',
    { moduleColour: '#ffffff', cornerColour: '#ffffff', groundColour: '#14203c' },
    'swap_colours',
  ],
  [
    'too little contrast',
    { moduleColour: '#b0b0b0', cornerColour: '#b0b0b0', groundColour: '#ffffff' },
    'darker',
  ],
])('%s is refused with the button that mends it', async (_, colours, mend) => {
  const fields = { ...FORM, moduleShape: 'square', ringShape: 'square', ...colours };
  const page = await browser.post('/create', { ...fields, intent: 'create' });
  expect(page.status).toBe(422);
  expect(mendsIn(await page.text())).toContain(mend);
  const mended = await browser.post('/create', { ...fields, mend });
  expect(mended.status).toBe(200);
  expect(await mended.text()).toMatch(/grade [AB]: read in/);
});

test('a look that is read well is created, and a mend that does not exist changes nothing', async () => {
  const good = { ...FORM, ...GOOD, moduleShape: 'dots', ringShape: 'square' };
  expect(whereTo(await browser.post('/create', { ...good, intent: 'create', mend: 'magic' }))).toEqual([
    303,
    '/user/qrcodes',
  ]);
  expect(await codes()).toMatchObject([{ style: { moduleShape: 'dots' } }]);
});

test('a code whose look is read too badly is handed out in no file', async () => {
  const [poor, good] = [
    await codeWith({ ...DEFAULT_STYLE, ...POOR }),
    await codeWith({ moduleShape: 'dots' }),
  ];
  for (const format of ['png', 'svg', 'pdf', 'jpeg']) {
    const size = format === 'pdf' ? 40 : 400;
    const refused = await browser.open(`/user/qrcodes/${poor}/download?format=${format}&size=${size}`);
    expect(whereTo(refused)).toEqual([303, `/user/qrcodes/${poor}`]);
    const made = await browser.open(`/user/qrcodes/${good}/download?format=${format}&size=${size}`);
    expect(made.status).toBe(200);
  }
  expect(await browser.notices()).toMatchObject([{ type: 'error', key: 'download_grade' }]);

  const both = `id=${poor}&id=${good}`;
  const zip = await browser.open(`/user/qrcodes/zip/download?${both}&format=png&pixels=400`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(Object.keys(files).filter((name) => name.endsWith('.png'))).toHaveLength(1);
  expect(strFromU8(files['codes.csv'] ?? new Uint8Array())).toContain('Scanners read its look too badly');

  const sheet = await browser.open(`/user/qrcodes/sheet/download?${both}&layout=a4-24`);
  expect(sheet.status).toBe(303);
  expect(await browser.notices()).toMatchObject([{ key: 'sheet_grade' }]);
  const printed = await browser.open(`/user/qrcodes/sheet/download?id=${good}&layout=a4-24`);
  expect(printed.headers.get('content-type')).toBe('application/pdf');
});

test('a code there already does not get a look that is read too badly', async () => {
  const id = await codeWith({ moduleShape: 'dots' });
  const path = `/user/qrcodes/${id}/look`;
  const refused = await browser.post(path, { ...FORM, intent: 'use' });
  expect(refused.status).toBe(422);
  const html = await refused.text();
  expect(html).toContain('Scanners would read this look too badly.');
  const [mend = ''] = mendsIn(html);
  const mended = await browser.post(path, { ...FORM, mend });
  expect(await mended.text()).toMatch(/grade [ABC]: read in/);
  expect(await codes()).toMatchObject([{ style: { moduleShape: 'dots', groundColour: '#ffffff' } }]);
});
