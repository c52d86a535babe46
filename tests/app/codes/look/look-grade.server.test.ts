import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import type { Examination } from '~/codes/look/scan-report';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;
/** Status of the host's responses to logo requests; undefined for the real responses. */
let logoAnswer: number | undefined;

beforeAll(async () => {
  const routes = {
    '/create': 'create.tsx',
    '/user/qrcodes/:id': 'user.qrcodes.$id._index.tsx',
    '/user/qrcodes/:id/look': 'user.qrcodes.$id.look.tsx',
    '/user/qrcodes/:id/download': 'user.qrcodes.$id.download.ts',
    '/user/qrcodes/zip/download': 'user.qrcodes.zip_.download.ts',
    '/user/qrcodes/sheet/download': 'user.qrcodes.sheet_.download.ts',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    logoAnswer && /\.svg$|\/logo\b/.test(new URL(url).pathname)
      ? Response.json({ status: 'error', message: 'no logo' }, { status: logoAnswer })
      : pass(),
  );
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
  logoAnswer = undefined;
});
afterAll(async () => {
  globalThis.drawingPool?.close();
  await website.close();
});

/** Passes validation, but decoders cannot distinguish these colours, as blue is nearly black to them. */
const POOR = {
  moduleColour: '#000000',
  cornerColour: '#000000',
  groundColour: '#3131ff',
  moduleShape: 'dots',
  ringShape: 'circle',
  centreShape: 'leaf',
} as const satisfies Partial<Style>;
/** Gets the lowest grade with most links, some of them only in another mask than the first. */
const NARROW = { ringShape: 'leaf', centreShape: 'circle' };
const GOOD = { moduleColour: '#14203c', cornerColour: '#14203c', groundColour: '#ffffee' };
const CONTENT =
  'Table 4, by the window that looks at the garden and the old trees, where the bread is warm and the wine is cool';
const NETWORK = {
  ssid: 'Terrace',
  passphrase: 'good food and wine for everybody here, every evening until late',
};
/** A Wi-Fi code, whose files contain the content itself, which needs a larger symbol than a short link. */
const FORM = {
  ...{ type: 'wifi', ...NETWORK, readyMade: 'own', readyMadeBefore: 'own' },
  ...POOR,
};

/** Creates a Wi-Fi code; its symbol contains no random short link, so it is the same in every run. */
async function codeWith(style: Partial<Style>): Promise<string> {
  const form = new FormData();
  form.set('data', `WIFI:T:WPA;S:${NETWORK.ssid};P:${NETWORK.passphrase};;`);
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

test('an unreadable look is not created: the form says so, keeps everything and offers fixes', async () => {
  const page = await browser.post('/create', { ...FORM, intent: 'create' });
  expect(page.status).toBe(422);
  const html = await page.text();
  expect(html).toContain('Scanners would read this look too badly.');
  expect(html).toMatch(/no grade: read in \d+ of 36 views; 25 are needed/);
  expect(html).toContain('value="Terrace"');
  expect(html).toContain('value="#3131ff"');
  expect(await codes()).toEqual([]);

  const [mend = ''] = mendsIn(html);
  const mended = await browser.post('/create', { ...FORM, intent: 'create', mend });
  expect(mended.status).toBe(200);
  const better = await mended.text();
  expect(better).toMatch(/grade [ABC]: read in \d+ of 36 views/);
  expect(better).toContain('value="Terrace"');
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
])('%s is refused with a button that fixes it', async (_, colours, mend) => {
  const fields = { ...FORM, moduleShape: 'square', ringShape: 'square', ...colours };
  const page = await browser.post('/create', { ...fields, intent: 'create' });
  expect(page.status).toBe(422);
  expect(mendsIn(await page.text())).toContain(mend);
  const mended = await browser.post('/create', { ...fields, mend });
  expect(mended.status).toBe(200);
  expect(await mended.text()).toMatch(/grade [AB]: read in/);
});

test('a design is graded with an address like that of its files, and created with that grade', async () => {
  const { ssid: _, passphrase: __, ...look } = { ...FORM, ...NARROW, type: 'text', content: CONTENT };
  const html = await (await browser.post('/create', { ...look, intent: 'preview' })).text();
  expect(html).toContain('reads back: Table 4, by the window');
  expect(html).toMatch(/grade [ABC]: read in \d+ of 36 views/);
  expect(html).toContain('with a short address of ours in it');
  expect(statusAndLocation(await browser.post('/create', { ...look, intent: 'create' }))[0]).toBe(303);
  const [{ id }] = (await codes()) as [{ id: string }];
  const page = async () => (await browser.open(`/user/qrcodes/${id}`)).text();
  await expect.poll(page).toMatch(/grade [ABC]: read in \d+ of 36 views/);
  expect(await page()).not.toContain('with a short address of ours in it');
  expect((await browser.open(`/user/qrcodes/${id}/download?format=png&size=400`)).status).toBe(200);
});

test('a readable look is created, and an unknown fix changes nothing', async () => {
  const good = { ...FORM, ...GOOD, moduleShape: 'dots', ringShape: 'square' };
  expect(
    statusAndLocation(await browser.post('/create', { ...good, intent: 'create', mend: 'magic' })),
  ).toEqual([303, '/user/qrcodes']);
  expect(await codes()).toMatchObject([{ style: { moduleShape: 'dots' } }]);
});

test.each(['no_logo', 'plain_no_logo'])('the fix %s shows the design without its logo', async (mend) => {
  const page = await browser.post('/create', { ...FORM, ...GOOD, logoPreset: 'heart.svg', mend });
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toMatch(/grade [ABC]: read in/);
  expect(html).not.toContain('/presets/heart.svg" x=');
  expect(html).toMatch(/<input(?=[^>]*name="logoPreset")(?=[^>]*value="none")(?=[^>]*checked="")/);
});

test('the look of content too long for a symbol is graded with an address like the one it will get', async () => {
  const mail = { type: 'email', content: '', address: 'hello@styled.example', body: 'é'.repeat(1000) };
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const { run } = pool;
  const examined: string[] = [];
  // Fake the bad grade, because few looks are unreadable in such a small symbol.
  const misread = async (...[task, input, options]: Parameters<typeof run>) => {
    const made = (await run(task, input, options)) as Examination;
    examined.push((input as { payload: string }).payload);
    return { ...made, scan: { ...made.scan, grade: null }, mends: ['plain'] };
  };
  pool.run = misread as typeof run;
  onTestFinished(() => {
    pool.run = run;
  });
  // A unique background colour, because known looks are not examined again.
  const unknown = { ...FORM, ...mail, groundColour: '#3232ff' };
  const refused = await browser.post('/create', { ...unknown, intent: 'create' });
  expect(refused.status).toBe(422);
  const html = await refused.text();
  expect(html).toContain('Scanners would read this look too badly.');
  expect(mendsIn(html)).toEqual(['plain']);
  expect(await codes()).toEqual([]);

  pool.run = run;
  const good = { ...FORM, ...GOOD, ringShape: 'square', ...mail };
  expect(statusAndLocation(await browser.post('/create', { ...good, intent: 'create' }))).toEqual([
    303,
    '/user/qrcodes',
  ]);
  expect(examined).toEqual([expect.stringMatching(/^HTTP:\/\/LOCALHOST\/R\/\w{8}$/)]);
});

test('no look is saved based on a picture without its logo', async () => {
  const look = { ...FORM, ...GOOD, ringShape: 'square' };
  const logoPreset = 'star.svg';
  const id = (await website.host.code(account.id, { logoPreset })).id;
  const [path, saved] = [`/user/qrcodes/${id}/look`, await codes()];
  for (const answer of [503, 404]) {
    logoAnswer = answer;
    for (const [to, fields] of [
      ['/create', { ...look, logoPreset, intent: 'create' }],
      [path, { ...look, intent: 'use' }],
    ] as const) {
      const refused = await browser.post(to, fields);
      expect(refused.status).toBe(503);
      expect(await refused.text()).toContain('The service is not responding right now.');
    }
  }
  expect(await codes()).toEqual(saved);

  logoAnswer = undefined;
  expect(statusAndLocation(await browser.post(path, { ...look, intent: 'use' }))[0]).toBe(303);
  expect(await codes()).toMatchObject([{ style: { moduleShape: 'dots' } }]);
});

test('a code whose logo is lost cannot be downloaded', async () => {
  const { id } = await website.host.code(account.id, { logoPreset: 'gift.svg' });
  logoAnswer = 404;
  const file = await browser.open(`/user/qrcodes/${id}/download?format=png&size=400`);
  expect(statusAndLocation(file)).toEqual([303, `/user/qrcodes/${id}`]);
  expect(await browser.notices()).toMatchObject([{ key: 'download_unreadable' }]);

  const zip = await browser.open(`/user/qrcodes/zip/download?id=${id}&format=png&pixels=400`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(Object.keys(files)).toEqual(['codes.csv']);
  expect(strFromU8(files['codes.csv'] ?? new Uint8Array())).toContain('choose another logo, or none');

  const sheet = await browser.open(`/user/qrcodes/sheet/download?id=${id}&layout=a4-24`);
  expect(sheet.status).toBe(303);
  expect(await browser.notices()).toMatchObject([{ key: 'sheet_unreadable' }]);
});

test('an unreadable earlier look is not restored', async () => {
  const style = { ...DEFAULT_STYLE, ...POOR };
  const id = await codeWith(style);
  await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { style: null }, account);
  const refused = await browser.post(`/user/qrcodes/${id}?index`, {
    intent: 'bring-back',
    style: JSON.stringify(style),
  });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('scanners read this earlier look too badly to use it again');
  expect(await codes()).toMatchObject([{ style: null }]);
});

test('a code with an unreadable look cannot be downloaded', async () => {
  const [poor, good] = [
    await codeWith({ ...DEFAULT_STYLE, ...POOR }),
    await codeWith({ moduleShape: 'dots' }),
  ];
  for (const format of ['png', 'svg', 'pdf', 'jpeg']) {
    const size = format === 'pdf' ? 40 : 400;
    const refused = await browser.open(`/user/qrcodes/${poor}/download?format=${format}&size=${size}`);
    expect(statusAndLocation(refused)).toEqual([303, `/user/qrcodes/${poor}`]);
    const made = await browser.open(`/user/qrcodes/${good}/download?format=${format}&size=${size}`);
    expect(made.status).toBe(200);
  }
  expect(await browser.notices()).toMatchObject([{ type: 'error', key: 'download_grade' }]);

  const both = `id=${poor}&id=${good}`;
  const zip = await browser.open(`/user/qrcodes/zip/download?${both}&format=png&pixels=400`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(Object.keys(files).filter((name) => name.endsWith('.png'))).toHaveLength(1);
  const table = strFromU8(files['codes.csv'] ?? new Uint8Array());
  expect(table).toContain('Scanners read its look too badly');
  expect(table).toMatch(/\.png,.*,[ABC],\r\n/);

  const sheet = await browser.open(`/user/qrcodes/sheet/download?${both}&layout=a4-24`);
  expect(sheet.status).toBe(303);
  expect(await browser.notices()).toMatchObject([{ key: 'sheet_grade_of', values: { name: NETWORK.ssid } }]);
  const printed = await browser.open(`/user/qrcodes/sheet/download?id=${good}&layout=a4-24`);
  expect(printed.headers.get('content-type')).toBe('application/pdf');
});

test('an existing code does not get an unreadable look', async () => {
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

test('the page of a code whose look has no grade says that there is no file and links to a fix', async () => {
  const [poor, good] = [
    await codeWith({ ...DEFAULT_STYLE, ...POOR }),
    await codeWith({ moduleShape: 'dots' }),
  ];
  const page = async () => (await browser.open(`/user/qrcodes/${poor}`)).text();
  // Poll, because the page omits the decoders' result while they are busy.
  await expect.poll(page).toContain('No file of this code is handed out');
  const html = await page();
  const [, address = ''] = /href="(\/user\/qrcodes\/[\w-]+\/look\?mend=\w+)#preview"/.exec(html) ?? [];
  const mended = await (await browser.open(address)).text();
  expect(mended).toMatch(/grade [ABC]: read in/);
  // The fixed look is only shown, not saved.
  const listed = await codes();
  expect(listed).toContainEqual(expect.objectContaining({ id: poor, style: { ...DEFAULT_STYLE, ...POOR } }));

  expect(await (await browser.open(`/user/qrcodes/${good}`)).text()).not.toContain('No file of this code');
});

test('the page of a code with a lower grade than A links to a fix, and does not call it unreadable', async () => {
  const id = await codeWith({ moduleShape: 'dots' });
  const page = async () => (await browser.open(`/user/qrcodes/${id}`)).text();
  await expect.poll(page).toMatch(/grade [BC]: read in/);
  const html = await page();
  expect(html).toContain('Read better with:');
  expect(html).not.toContain('No file of this code');
  const addresses = Array.from(html.matchAll(/href="([^"]+\/look\?mend=\w+)#preview"/g), ([, to]) => to);
  expect(addresses).toEqual([`/user/qrcodes/${id}/look?mend=squares`]);
  expect(await (await browser.open(addresses[0] ?? '')).text()).toContain('grade A: read in');
});
