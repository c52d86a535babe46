import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import type { SavedStyle } from '#contract/styles';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';
import { finderLogo } from '../pictures/logos';
import { allowSlowDrawings, POOR } from './poor-look';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;
let ids: string[];
let page: string;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/qrcodes/selection': 'codes/list/bulk-page.tsx' });
});
allowSlowDrawings();
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
  const made = [
    await website.host.code(account.id),
    await website.host.code(account.id, { logoPreset: 'heart.svg' }),
  ];
  ids = made.map(({ id }) => id);
  page = `/user/qrcodes/selection?act=style&ids=${ids.join()}`;
});
afterAll(() => website.close());

async function call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  return (await send(website.host, method, path, body, account)).body.data as Data;
}

async function read(): Promise<Code[]> {
  return Promise.all(ids.map(async (id) => (await call<{ code: Code }>('GET', `/api/qrcodes/${id}`)).code));
}

async function post(fields: Record<string, string | File>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return browser.post(page, form);
}

async function logoFile(): Promise<File> {
  return new File([new Uint8Array(await finderLogo())], 'mark.png');
}

test('a file becomes the logo of all chosen codes, whose looks stay', async () => {
  const answer = await post({ readyMade: 'keep', logoPreset: 'keep', logo: await logoFile() });
  expect(statusAndLocation(answer)).toEqual([303, '/user/qrcodes']);
  for (const code of await read())
    expect(code).toMatchObject({ logo: { kind: 'upload', name: 'mark.png' }, style: null });
});

test('a look leaves the logos, "no logo" removes them, and neither is refused', async () => {
  await post({ readyMade: 'dots', logoPreset: 'keep' });
  const [plain, withHeart] = await read();
  expect([plain?.logo, withHeart?.logo]).toEqual([null, { kind: 'preset', name: 'heart.svg' }]);
  expect(withHeart?.style).not.toBeNull();
  await post({ readyMade: 'keep', logoPreset: 'none' });
  const after = await read();
  expect(after.map(({ logo, style }) => [logo, style])).toEqual(after.map(() => [null, withHeart?.style]));
  const refused = await post({ readyMade: 'keep', logoPreset: 'keep' });
  expect(refused.status).toBe(422);
});

test('a saved look brings its logo, unless another one is chosen', async () => {
  const logo = { kind: 'preset', name: 'coffee.svg', useWhiteBackground: true };
  const saved = await call<SavedStyle>('POST', '/api/styles', { name: 'House', style: {}, logo });
  await post({ readyMade: saved.id, logoPreset: 'keep' });
  for (const code of await read())
    expect(code).toMatchObject({ logo: { name: 'coffee.svg' }, useWhiteBackground: true });
  await post({ readyMade: saved.id, logoPreset: 'star.svg' });
  for (const code of await read()) expect(code).toMatchObject({ logo: { name: 'star.svg' } });
});

test('a look without a grade is refused, and the file chosen with it stays chosen', async () => {
  const saved = await call<SavedStyle>('POST', '/api/styles', { name: 'Night', style: POOR });
  const answer = await post({ readyMade: saved.id, logo: await logoFile() });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toMatch(
    /<input(?=[^>]*name="logoPreset")(?=[^>]*checked)[^>]*value="[0-9a-f-]{36}"/,
  );
  expect(await read()).toMatchObject([{ logo: null }, { logo: { name: 'heart.svg' } }]);
});
