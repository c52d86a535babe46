import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { insertLogo } from '#host/codes/logos/store';
import type { Examination } from '~/codes/look/scan-report';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';
import { allowSlowDrawings, FORM, fixesIn } from './poor-look';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;
/** Status of the host's responses to logo requests; undefined for the real responses. */
let logoAnswer: number | undefined;

beforeAll(async () => {
  const routes = {
    '/create': 'codes/create/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    logoAnswer && /\/logos\/|\/logo\b/.test(new URL(url).pathname)
      ? Response.json({ status: 'error', message: 'no logo' }, { status: logoAnswer })
      : pass(),
  );
});
allowSlowDrawings();
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
  logoAnswer = undefined;
});
afterAll(() => website.close());

/** Gets the lowest grade with most links, some of them only in another mask than the first. */
const NARROW = { ringShape: 'leaf', centreShape: 'circle' };
const GOOD = { moduleColour: '#14203c', cornerColour: '#14203c', groundColour: '#ffffee' };
const CONTENT =
  'Table 4, by the window that looks at the garden and the old trees, where the bread is warm and the wine is cool';
const codes = async () => (await send(website.host, 'GET', '/api/qrcodes', undefined, account)).body.data;

test('an unreadable look is not created: the form says so, keeps everything and offers fixes', async () => {
  const page = await browser.post('/create', { ...FORM, intent: 'create' });
  expect(page.status).toBe(422);
  const html = await page.text();
  expect(html).toContain('Scanners would read this look too badly.');
  expect(html).toMatch(/no grade: read in \d+ of 36 views; 25 are needed/);
  expect(html).toContain('value="Terrace"');
  expect(html).toContain('value="#3131ff"');
  expect(await codes()).toEqual([]);

  const [fix = ''] = fixesIn(html);
  const fixed = await browser.post('/create', { ...FORM, intent: 'create', fix });
  expect(fixed.status).toBe(200);
  const better = await fixed.text();
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
])('%s is refused with a button that fixes it', async (_, colours, fix) => {
  const fields = { ...FORM, moduleShape: 'square', ringShape: 'square', ...colours };
  const page = await browser.post('/create', { ...fields, intent: 'create' });
  expect(page.status).toBe(422);
  expect(fixesIn(await page.text())).toContain(fix);
  const fixed = await browser.post('/create', { ...fields, fix });
  expect(fixed.status).toBe(200);
  expect(await fixed.text()).toMatch(/grade [AB]: read in/);
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
    statusAndLocation(await browser.post('/create', { ...good, intent: 'create', fix: 'magic' })),
  ).toEqual([303, '/user/qrcodes']);
  expect(await codes()).toMatchObject([{ style: { moduleShape: 'dots' } }]);
});

test.each(['no_logo', 'plain_no_logo'])('the fix %s shows the design without its logo', async (fix) => {
  const page = await browser.post('/create', { ...FORM, ...GOOD, logoPreset: 'heart.svg', fix });
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
  const run = pool.run.bind(pool);
  const examined: string[] = [];
  // Fake the bad grade, because few looks are unreadable in such a small symbol.
  const misread = async (...[task, input, options]: Parameters<typeof run>) => {
    const made = (await run(task, input, options)) as Examination;
    examined.push((input as { payload: string }).payload);
    return { ...made, scan: { ...made.scan, grade: null }, fixes: ['plain'] };
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
  expect(fixesIn(html)).toEqual(['plain']);
  expect(await codes()).toEqual([]);

  pool.run = run;
  const good = { ...FORM, ...GOOD, ringShape: 'square', ...mail };
  expect(statusAndLocation(await browser.post('/create', { ...good, intent: 'create' }))).toEqual([
    303,
    '/user/qrcodes',
  ]);
  expect(examined).toEqual([expect.stringMatching(/^http:\/\/LOCALHOST\/R\/\w{8}$/)]);
});

test('no look is saved based on a picture without its logo', async () => {
  const look = { ...FORM, ...GOOD, ringShape: 'square' };
  // The account's own logo, as presets are cached, also for other tests of this process.
  const logoId = randomUUID();
  const png = await sharp(readFileSync('host/codes/logos/presets/star.svg')).png().toBuffer();
  const createdAt = website.host.clock.now();
  await insertLogo(website.host.db.orm, { id: logoId, name: 'star.png', png, createdAt });
  const { id } = await website.host.code(account.id, { logoId });
  const [path, saved] = [`/user/qrcodes/${id}/look`, await codes()];
  for (const answer of [503, 404]) {
    logoAnswer = answer;
    for (const [to, fields] of [
      ['/create', { ...look, logoPreset: logoId, intent: 'create' }],
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
