import { PDFiumLibrary } from '@hyzyla/pdfium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { grantAccess } from '#host/accounts/store';
import { visitOf } from '../../host/statistics/visit-stream';
import { openBrowser, textOf } from '../../support/browser';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/analytics/report': 'statistics/report-page.tsx',
    '/user/analytics/report.pdf': 'statistics/report-route.ts',
    '/user/analytics': 'statistics/page.tsx',
    '/report': 'statistics/shared-report-page.tsx',
    '/report.pdf': 'statistics/shared-report-route.ts',
  });
});
afterAll(async () => website.close());

async function owner() {
  const account = await website.host.account();
  const now = website.host.clock.now().getTime();
  for (let n = 0; n < 12; n += 1) {
    const code = await website.host.code(account.id, {
      content: `https://destination-${n}.example/`,
      name: n === 0 ? 'Café 東京 — Тест' : `Table ${n}`,
      createdAt: new Date(now - 300 * DAY_MS),
    });
    const at = new Date(now - n * DAY_MS).toISOString();
    // Table 1 is visited most: the report names five codes, and which of equal ones is left to their ids.
    for (let visitor = 0; visitor < (n === 1 ? 2 : 1); visitor += 1) {
      const clientIp = `198.51.100.${n * 2 + visitor}`;
      await website.host.recorder.record(visitOf(code.id, at, { clientIp }));
    }
  }
  await website.host.recorder.idle();
  return { account, browser: await openBrowser(website, account) };
}

async function readPdf(bytes: Uint8Array) {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes);
  const texts = Array.from({ length: document.getPageCount() }, (_, page) =>
    document.getPage(page).getText(),
  );
  document.destroy();
  library.destroy();
  return texts;
}

test('the page has every figure with its definition, and leads to the file of the same days', async () => {
  const { browser } = await owner();
  const response = await browser.open('/user/analytics/report?period=7');
  expect(response.status).toBe(200);
  const body = await response.text();
  expect(body).toContain('Scans and clicks by people together.');
  expect(body).toContain('/user/analytics/report.pdf?period=7');
});

test('the file has one to three pages of A4, its language, its title, and the figures as text', async () => {
  const { account } = await owner();
  const response = await website.browse('/user/analytics/report.pdf?period=30', { as: account });
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const texts = await readPdf(bytes);
  expect(texts.length).toBeGreaterThanOrEqual(1);
  expect(texts.length).toBeLessThanOrEqual(3);
  const text = texts.join('\n');
  expect(text).toContain('All visits');
  expect(text).toContain('Scans and clicks by people together.');
  expect(text).toContain('Table 1');
  expect(text).not.toContain('destination-');
  const source = Buffer.from(bytes).toString('latin1');
  expect(source).toContain('/Lang (en');
  expect(source).toContain('/Marked true');
  expect(source).toContain('/FontFile2');
  expect(source).toContain('/DisplayDocTitle true');
});

test('an invalid filter is corrected on the page of figures, and without a subscription there is no file', async () => {
  const { account } = await owner();
  const wrong = await website.browse('/user/analytics/report?period=range&from=2026-02-02&to=2026-02-01', {
    as: account,
  });
  expect(wrong.status).toBe(302);
  expect(wrong.headers.get('location')).toContain('/user/analytics?period=range');
  const foreign = await website.host.code((await website.host.account()).id);
  const other = await website.browse(`/user/analytics/report.pdf?code=${foreign.id}`, { as: account });
  expect(other.status).toBe(404);
  const lapsed = await website.host.account({ access: false });
  expect((await website.browse('/user/analytics/report', { as: lapsed })).status).toBe(200);
  expect((await website.browse('/user/analytics/report.pdf', { as: lapsed })).status).toBe(404);
});

const SHARE = { intent: 'share', name: 'Client', end: '30', until: '' };

async function shareBy(browser: Awaited<ReturnType<typeof openBrowser>>, query = '', fields = {}) {
  const page = `/user/analytics/report${query}`;
  const posted = await browser.post(page, { ...SHARE, ...fields });
  expect([posted.status, posted.headers.get('location')]).toEqual([303, page]);
  const html = await (await browser.open(page)).text();
  const [, token = ''] = /\/report\?token=([\w-]{32})"/.exec(html) ?? [];
  const [, id = ''] = /name="id" value="([^"]+)"/.exec(html) ?? [];
  return { token, id };
}

test('a link shows a stranger the report in the language of the stranger, and neither addresses nor links to codes', async () => {
  const { account, browser } = await owner();
  const unnamed = await website.host.code(account.id, { content: 'https://unnamed-destination.example/' });
  const now = website.host.clock.now().toISOString();
  for (let n = 0; n < 9; n += 1)
    await website.host.recorder.record(visitOf(unnamed.id, now, { clientIp: `203.0.113.${n}` }));
  await website.host.recorder.idle();
  const { token } = await shareBy(browser, '?period=7&timeZone=Europe%2FParis');
  const response = await website.browse(`/report?token=${token}`, { headers: { 'accept-language': 'de' } });
  expect(response.status).toBe(200);
  const { headers } = response;
  expect(headers.get('x-robots-tag')).toContain('noindex');
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('referrer-policy')).toBe('strict-origin');
  const html = await response.clone().text();
  expect(html).not.toMatch(/destination-|\/user\/qrcodes\/|@/);
  const text = await textOf(response);
  expect(text).toContain('Bericht: Ada');
  expect(text).toContain('Zeitzone: Europe/Paris');
  expect(text).toContain('Dieser Link gilt bis');
  expect(text).toContain('Code 1 ohne Namen');
  expect(text).toContain('Scans und Klicks ohne Bots, nach den Tagen der Zeitzone.');
});

test('its file has the same figures and no address in its bytes', async () => {
  const { account, browser } = await owner();
  const { token } = await shareBy(browser);
  const response = await website.browse(`/report.pdf?token=${token}`);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('x-robots-tag')).toContain('noindex');
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = (await readPdf(bytes)).join('\n');
  expect(text).toContain('Table 1');
  expect(text).toContain('This link works until');
  for (const secret of ['destination-', account.email, token, account.id]) {
    expect(text).not.toContain(secret);
    expect(Buffer.from(bytes).toString('latin1')).not.toContain(secret);
  }
});

test('an ended link answers 410, an unknown one 404, and that of an account without paid time 403', async () => {
  const { account, browser } = await owner();
  const { token, id } = await shareBy(browser);
  const statusOf = async (path: string) => (await website.browse(path)).status;
  expect(await statusOf(`/report?token=${token}`)).toBe(200);
  await browser.post('/user/analytics/report', { intent: 'end', id });
  const ended = await website.browse(`/report?token=${token}`);
  expect(ended.status).toBe(410);
  expect(ended.headers.get('x-robots-tag')).toContain('noindex');
  expect(await textOf(ended)).toContain('This link has ended');
  expect(await statusOf(`/report.pdf?token=${token}`)).toBe(410);
  for (const wrong of ['/report', '/report?token=x', '/report.pdf?token=x', `/report?token=${token}x`])
    expect(await statusOf(wrong)).toBe(404);
  // Ending it again is no error.
  expect((await browser.post('/user/analytics/report', { intent: 'end', id })).status).toBe(303);
  const { token: second } = await shareBy(browser);
  await grantAccess(website.host.db.orm, account.id, {
    plan: 'monthly',
    status: 'expired',
    accessUntil: website.host.clock.now(),
  });
  const paused = await website.browse(`/report?token=${second}`);
  expect(paused.status).toBe(403);
  expect(await textOf(paused)).toContain('no active subscription');
  // Its owner still sees and ends it.
  expect(await (await browser.open('/user/analytics/report')).text()).toContain(second);
});

test('a form that is refused keeps what was typed and says why', async () => {
  const { browser } = await owner();
  const post = (fields: object) => browser.post('/user/analytics/report', { ...SHARE, ...fields });
  const nameless = await post({ name: ' ', end: '90' });
  expect(nameless.status).toBe(422);
  expect(await textOf(nameless)).toContain('Give the link a name.');
  for (const fields of [{ end: 'date' }, { end: 'date', until: '2020-01-01' }, { end: '31' }]) {
    const refused = await post(fields);
    expect(refused.status).toBe(422);
    expect(await textOf(refused)).toContain('Choose how long the link works');
  }
});
