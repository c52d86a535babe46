import { eq } from 'drizzle-orm';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { codes as codesTable } from '#host/db/codes.tables';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../../support/browser';
import type { TestAccount } from '../../../support/host';
import { send } from '../../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../../support/website';
import { allowSlowDrawings, FORM, fixesIn, NETWORK, POOR } from './poor-look';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;
/** Status of the host's responses to logo requests; undefined for the real responses. */
let logoAnswer: number | undefined;

beforeAll(async () => {
  const routes = {
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/look': 'codes/look/page.tsx',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
    '/user/qrcodes/zip/download': 'codes/files/zip-route.ts',
    '/user/qrcodes/sheet/download': 'codes/files/sheet-route.ts',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    logoAnswer && /\.svg$|\/logo\b/.test(new URL(url).pathname)
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

test('a code whose logo is lost cannot be downloaded', async () => {
  const { id } = await website.host.code(account.id, { logoPreset: 'gift.svg' });
  logoAnswer = 404;
  const file = await browser.open(`/user/qrcodes/${id}/download?format=png&size=400`);
  expect(statusAndLocation(file)).toEqual([303, `/user/qrcodes/${id}?format=png&size=400#downloads`]);
  expect(await browser.notices()).toMatchObject([{ key: 'download_unreadable' }]);

  const zip = await browser.open(`/user/qrcodes/zip/download?id=${id}&format=png&pixels=400`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(Object.keys(files)).toEqual(['codes.csv']);
  expect(strFromU8(files['codes.csv'] ?? new Uint8Array())).toContain('choose another logo, or none');

  const sheet = await browser.open(`/user/qrcodes/sheet/download?id=${id}&layout=a4-24`);
  expect(sheet.status).toBe(303);
  expect(await browser.notices()).toMatchObject([{ key: 'sheet_unreadable' }]);
});

test('a code whose stored caption cannot be drawn has no files, and each place says why', async () => {
  const style = { ...DEFAULT_STYLE, frame: 'badge' as const, caption: 'Call ☎ 5' };
  const { id } = await website.host.code(account.id);
  await website.host.db.orm.update(codesTable).set({ style }).where(eq(codesTable.id, id));
  const file = await browser.open(`/user/qrcodes/${id}/download?format=png&size=400`);
  expect(statusAndLocation(file)).toEqual([303, `/user/qrcodes/${id}?format=png&size=400#downloads`]);
  expect(await browser.notices()).toMatchObject([{ type: 'error', key: 'download_caption' }]);
  const page = await (await browser.open(`/user/qrcodes/${id}`)).text();
  expect(page).toContain('the text of its frame has letters or signs that cannot be drawn');

  const zip = await browser.open(`/user/qrcodes/zip/download?id=${id}&format=png&pixels=400`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  expect(strFromU8(files['codes.csv'] ?? new Uint8Array())).toContain('signs that cannot be drawn');

  const sheet = await browser.open(`/user/qrcodes/sheet/download?id=${id}&layout=a4-24`);
  expect(sheet.status).toBe(303);
  expect(await browser.notices()).toMatchObject([{ key: 'sheet_caption' }]);

  const restored = await browser.post(`/user/qrcodes/${id}?index`, {
    intent: 'bring-back',
    style: JSON.stringify(style),
  });
  expect(restored.status).toBe(422);
  expect(await restored.text()).toContain('rare signs and other scripts cannot be drawn');
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
    expect(statusAndLocation(refused)).toEqual([
      303,
      `/user/qrcodes/${poor}?format=${format}&size=${size}#downloads`,
    ]);
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
  const [fix = ''] = fixesIn(html);
  const fixed = await browser.post(path, { ...FORM, fix });
  expect(await fixed.text()).toMatch(/grade [ABC]: read in/);
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
  const [, address = ''] = /href="(\/user\/qrcodes\/[\w-]+\/look\?fix=\w+)#look-preview"/.exec(html) ?? [];
  const fixed = await (await browser.open(address)).text();
  expect(fixed).toMatch(/grade [ABC]: read in/);
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
  const addresses = Array.from(html.matchAll(/href="([^"]+\/look\?fix=\w+)#look-preview"/g), ([, to]) => to);
  expect(addresses).toEqual([`/user/qrcodes/${id}/look?fix=squares`]);
  expect(await (await browser.open(addresses[0] ?? '')).text()).toContain('grade A: read in');
});
