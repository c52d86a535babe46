import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';
import { finderLogo } from '../pictures/logos';
import { allowSlowDrawings, fixesIn, POOR } from './poor-look';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;
let id: string;
let page: string;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
    '/user/logos/:id': 'codes/look/logo-route.ts',
  });
});
allowSlowDrawings();
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
  ({ id } = await website.host.code(account.id, { content: 'https://a.example/' }));
  page = `/user/qrcodes/${id}/look`;
});
afterAll(() => website.close());

const PLAIN = { moduleShape: 'square', ringShape: 'square', centreShape: 'square' };

async function logoFile(name = 'mark.png'): Promise<File> {
  return new File([new Uint8Array(await finderLogo())], name);
}

function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const post = (fields: Record<string, string | File>) => browser.post(page, formOf(fields));

async function read(): Promise<{ code: Code; changes: { field: string; before: string }[] }> {
  return (await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, account)).body.data as never;
}

const chosenIn = (html: string) =>
  /<input(?=[^>]*name="logoPreset")(?=[^>]*checked)[^>]*value="([^"]*)"/.exec(html)?.[1];

test('a chosen file becomes the logo, is offered for other codes, and white behind it is kept', async () => {
  const answer = await post({ ...PLAIN, logo: await logoFile(), useWhiteBackground: 'on', intent: 'use' });
  expect(statusAndLocation(answer)).toEqual([303, `/user/qrcodes/${id}`]);
  const { code } = await read();
  expect(code).toMatchObject({ logo: { kind: 'upload', name: 'mark.png' }, useWhiteBackground: true });

  const other = await website.host.code(account.id);
  const html = await (await browser.open(`/user/qrcodes/${other.id}/look`)).text();
  expect(html).toContain('mark.png');
  expect(chosenIn(html)).toBe('none');
  expect(chosenIn(await (await browser.open(page)).text())).toBe(
    code.logo?.kind === 'upload' && code.logo.id,
  );
});

test('a preview shows the chosen file, keeps it without scripts, and changes nothing', async () => {
  const answer = await post({ ...PLAIN, logo: await logoFile(), intent: 'preview' });
  expect(answer.status).toBe(200);
  const html = await answer.text();
  const own = chosenIn(html) ?? '';
  expect(html).toContain(`href="/user/logos/${own}"`);
  expect((await browser.open(`/user/logos/${own}`)).headers.get('content-type')).toBe('image/png');
  const stranger = await openBrowser(website, await website.host.account());
  expect((await stranger.open(`/user/logos/${own}`)).status).toBe(404);
  expect((await read()).code.logo).toBeNull();
  await post({ ...PLAIN, logoPreset: own, intent: 'use' });
  expect((await read()).code.logo).toMatchObject({ kind: 'upload', id: own });
});

test('a form without a logo leaves it, and "no logo" removes it', async () => {
  await post({ ...PLAIN, logoPreset: 'heart.svg', intent: 'use' });
  await post({ ...PLAIN, moduleShape: 'dots', intent: 'use' });
  expect((await read()).code).toMatchObject({ logo: { name: 'heart.svg' }, style: { moduleShape: 'dots' } });
  await post({ ...PLAIN, logoPreset: 'none', intent: 'use' });
  expect((await read()).code).toMatchObject({ logo: null, style: null });
});

test('a logo with which a look cannot be read is refused, and a fix takes it out again', async () => {
  const answer = await post({ ...POOR, logo: await logoFile(), intent: 'use' });
  expect(answer.status).toBe(422);
  const html = await answer.text();
  expect(html).toContain('Scanners would read this look too badly.');
  expect(chosenIn(html)).toMatch(/^[0-9a-f-]{36}$/);
  expect(fixesIn(html)).not.toEqual([]);
  const fixed = await (await post({ ...POOR, fix: 'plain_no_logo' })).text();
  expect(chosenIn(fixed)).toBe('none');
  expect((await read()).changes).toEqual([]);
});

test.each([
  ['no picture', new File(['hello'], 'notes.txt')],
  ['an empty file', new File([], 'mark.png')],
])('%s is refused beside its field', async (_, logo) => {
  const answer = await post({ ...PLAIN, logo, intent: 'use' });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('id="look-form-logo-error"');
  expect((await read()).changes).toEqual([]);
});

test('an earlier logo can be brought back from the history', async () => {
  await post({ ...PLAIN, logoPreset: 'heart.svg', useWhiteBackground: 'on', intent: 'use' });
  website.host.clock.advance(1_000);
  await post({ ...PLAIN, logoPreset: 'none', intent: 'use' });
  const html = await (await browser.open(`/user/qrcodes/${id}`)).text();
  expect(html).toContain('Bring back the previous logo');
  const [change] = (await read()).changes;
  const back = { intent: 'bring-back', logo: change?.before ?? '' };
  expect(statusAndLocation(await browser.post(`/user/qrcodes/${id}`, back))[0]).toBe(303);
  expect((await read()).code).toMatchObject({ logo: { name: 'heart.svg' }, useWhiteBackground: true });
});
