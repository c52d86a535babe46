import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import routes from '~/routes';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const CODE = '6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b';
const OPENED: [path: string, file: string][] = [
  [`/user/qrcodes/${CODE}/download`, 'codes/files/download-route.ts'],
  ['/user/settings/export', 'account/settings/export-route.ts'],
  ['/user/subscription/invoices/F2026-000001.pdf', 'billing/invoice-route.ts'],
  ['/user/analytics/codes.csv', 'statistics/export-route.ts'],
  ['/user/analytics/daily.csv', 'statistics/export-route.ts'],
];
const PICTURES: [path: string, file: string][] = [
  ['/presets/heart.svg', 'codes/create/preset-route.ts'],
  [`/user/qrcodes/${CODE}/logo`, 'codes/code/logo-route.ts'],
  [`/drafts/${CODE}/logo`, 'codes/create/draft-logo-route.ts'],
];
const POSTED: [path: string, file: string][] = [
  ['/locale', 'i18n/locale-route.ts'],
  ['/theme', 'http/theme-route.ts'],
  ['/logout', 'account/sign-in/logout-route.ts'],
  ['/unsent', 'http/unsent-route.ts'],
];
let website: TestWebsite;

beforeAll(async () => {
  const all = [...OPENED, ...PICTURES, ...POSTED];
  const pathOf = (path: string) =>
    path
      .replace(`/${CODE}/`, '/:id/')
      .replace(/F2026-000001\.pdf|heart\.svg/, ':file')
      .replace(/\w+\.csv/, ':table.csv');
  website = await createTestWebsite(Object.fromEntries(all.map(([path, file]) => [pathOf(path), file])));
});
afterAll(async () => website.close());

test("a file unavailable while the host is down gets a page with a back link in the visitor's language", async () => {
  const as = await website.host.account();
  await website.hostDown();
  for (const [path] of OPENED) {
    const headers = { 'accept-language': 'de', referer: 'http://localhost/user/settings?a=1' };
    const answer = await website.browse(path, { as, headers });
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '30']);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const html = await answer.text();
    expect(html).toMatch(/^<!DOCTYPE html><html lang="de">/);
    expect(html).toContain('<h1>Gleich wieder da</h1>');
    expect(html).toContain('href="/user/settings?a=1">Zurück zur vorigen Seite</a>');
    expect(html).toContain('href="/">');
  }
});

test('a table that does not exist is not found, also while nobody is signed in', async () => {
  const answer = await website.browse('/user/analytics/others.csv');
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('<!DOCTYPE html>')]);
  expect((await website.browse('/user/analytics/codes.csv')).headers.get('location')).toContain('/login');
});

test('the back link never leads to another site', async () => {
  const as = await website.host.account();
  await website.hostDown();
  for (const referer of ['https://evil.example/user', 'nonsense', 'http://localhost//evil.example']) {
    const answer = await website.browse('/user/settings/export', { as, headers: { referer } });
    expect(await answer.text()).not.toMatch(/evil|nonsense|the page before/);
  }
});

test('a missing code or invoice gets a 404 page', async () => {
  const as = await website.host.account();
  for (const path of [`/user/qrcodes/${CODE}/download`, '/user/subscription/invoices/F2026-000001.pdf']) {
    const answer = await website.browse(path, { as });
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.text()).toContain('<h1>Page not found</h1>');
  }
});

test('an unavailable picture gets an empty response with an error status', async () => {
  const as = await website.host.account();
  await website.hostDown();
  for (const [path] of PICTURES) {
    const answer = await website.browse(path, {
      as,
      headers: { accept: 'image/avif,image/*;q=0.8,*/*;q=0.5' },
    });
    expect([path, answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      path,
      503,
      '30',
      '',
    ]);
  }
});

test('a cross-site or unreadable POST gets an error page, too', async () => {
  for (const [path] of POSTED) {
    const foreign = await website.browse(path, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([path, foreign.status]).toEqual([path, 403]);
    expect(await foreign.text()).toContain('<h1>This is not allowed from here</h1>');
  }
  for (const path of ['/locale', '/theme']) {
    const headers = { 'content-type': 'multipart/form-data' };
    const broken = await website.browse(path, { method: 'POST', headers, body: 'x' });
    expect([path, broken.status]).toEqual([path, 400]);
    expect(await broken.text()).toContain('<h1>This request cannot be read</h1>');
  }
});

test('without a session, the response is still a redirect to the login', async () => {
  const answer = await website.browse('/user/settings/export');
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    '/login?next=%2Fuser%2Fsettings%2Fexport',
  ]);
});

test('every route without a page responds to failures with an error page, or cannot fail', () => {
  /** Routes that do not call the host or have their own responses to its failures. */
  const safe = [
    'b/:code',
    'e/:code/:act',
    'l/:code',
    'r/:code',
    'user/analytics/stream',
    'healthz',
    'livez',
    'metrics',
    'readyz',
    'messages/:locale/:file',
    'developers.md',
    'developers/reference.md',
    'developers/errors.md',
    'developers/changelog.md',
    'developers/changelog.atom',
    'api/v1/codes/:id/:file',
    'mcp',
    'llms.txt',
    'robots.txt',
    'sitemap.xml',
    'user/settings/addresses',
  ];
  const bare = routes
    .filter(
      ({ file }) => file.endsWith('.ts') && !readFileSync(`app/${file}`, 'utf8').includes('orErrorPage('),
    )
    .map(({ path }) => path);
  expect(bare.sort()).toEqual(safe.sort());
});
