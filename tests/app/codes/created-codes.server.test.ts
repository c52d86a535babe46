import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listCodes } from '#contract/codes';
import { LOGO_BYTES_LIMIT } from '#contract/logo-choice';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/user/qrcodes': 'codes/list/page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

async function created() {
  const { body } = await send(website.host, 'GET', '/api/qrcodes', undefined, account);
  return listCodes.response.parse(body).data;
}

test('every field of the form is on the code, and its row in the list is marked as new', async () => {
  const entered = { address: 'ada@shop.example', subject: 'Table 12', body: 'For two', name: 'Terrace' };
  const design = { tags: 'lunch, été', useWhiteBackground: 'on', logoPreset: 'heart.svg' };
  const answer = await browser.post('/create', { type: 'email', ...entered, ...design });
  expect(statusAndLocation(answer)).toEqual([303, '/user/qrcodes']);
  expect(await created()).toMatchObject([
    {
      type: 'email',
      content: 'ada@shop.example',
      subject: 'Table 12',
      body: 'For two',
      name: 'Terrace',
      tags: ['lunch', 'été'],
      useWhiteBackground: true,
      visibility: 'public',
      logo: { kind: 'preset', name: 'heart.svg' },
      style: null,
    },
  ]);
  const list = await (await browser.open('/user/qrcodes')).text();
  expect(list.match(/<tr class="is-new">/g)).toHaveLength(1);
});

/** A PNG of exactly this many bytes: readers ignore what follows its end. */
async function logoOf(bytes: number): Promise<File> {
  const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#c4361f' } })
    .png()
    .toBuffer();
  return new File([new Uint8Array(png), new Uint8Array(bytes - png.length)], 'mark.png', {
    type: 'image/png',
  });
}

function formWith(logo: File, more: Record<string, string> = {}): FormData {
  const form = new FormData();
  const fields = { type: 'link', content: 'https://made.example/', ...more };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('logo', logo);
  return form;
}

test('a logo may have two megabytes and not a byte more', async () => {
  const largest = await browser.post('/create', formWith(await logoOf(LOGO_BYTES_LIMIT)));
  expect(statusAndLocation(largest)).toEqual([303, '/user/qrcodes']);
  const larger = await browser.post('/create', formWith(await logoOf(LOGO_BYTES_LIMIT + 1)));
  expect(larger.status).toBe(422);
  expect(await larger.text()).toContain('This image is larger than 2 MB.');
  expect(await created()).toMatchObject([{ logo: { kind: 'upload', name: 'mark.png' } }]);
});

test('an empty file is refused as broken, and one chosen beside a preset replaces it', async () => {
  const empty = await browser.post('/create', formWith(new File([], 'empty.png')));
  expect(empty.status).toBe(422);
  const both = formWith(await logoOf(2_000), { logoPreset: 'heart.svg' });
  expect(statusAndLocation(await browser.post('/create', both))).toEqual([303, '/user/qrcodes']);
  expect(await created()).toMatchObject([{ logo: { kind: 'upload', name: 'mark.png' } }]);
});

test('the same form with another logo makes another code', async () => {
  const key = 'the-key-of-a-form';
  for (const bytes of [2_000, 2_000, 2_001])
    await browser.post('/create', formWith(await logoOf(bytes), { key }));
  expect(await created()).toHaveLength(2);
});

test('while the host is down, a page without scripts asks for the logo again and keeps the rest', async () => {
  const entered = { name: 'Terrace', type: 'link', content: 'https://made.example/' };
  await website.hostDown();
  const without = await browser.post('/create', entered);
  expect(without.status).toBe(503);
  const page = await without.text();
  expect(page).toContain('value="Terrace"');
  expect(page).not.toContain('Choose the file again');
  const withLogo = await browser.post('/create', formWith(await logoOf(2_000)));
  expect(withLogo.status).toBe(503);
  expect(await withLogo.text()).toContain('Choose the file again');
});
