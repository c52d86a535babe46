import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readCode } from '../../host/visits/stored-visits';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { asWebsite } from '../../support/internal-key';
import { send } from '../../support/json-calls';
import { scopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
/** The website's requests to the host since the start of the test. */
let requested: Request[];
/** The host's response to all of them, if set. */
let answer: (() => Response) | undefined;

beforeAll(async () => {
  const routes = {
    '/r/:code': 'codes/visit/redirect-route.ts',
    '/l/:code': 'codes/visit/text-link-route.ts',
    '/e/:code/:act': 'codes/visit/act-route.ts',
    '/b/:code': 'codes/visit/beacon-route.ts',
  };
  website = await createTestWebsite(routes, (request, pass) => {
    requested.push(request);
    return answer ? Promise.resolve(answer()) : pass();
  });
});
beforeEach(() => {
  requested = [];
  answer = undefined;
});
afterAll(async () => website.close());

const pathsAsked = () => requested.map(({ url }) => new URL(url).pathname);

test('a code or action name with dots never reaches another path of the host', async () => {
  const { followAction, forwardReport } = await import('~/codes/visit/visits.server');
  for (const [code, act] of [
    ['..', 'copy'],
    ['7K3M9QXD', '..'],
    ['7K3M9QXD', 'a.b'],
    ['..%2Fapi', 'plans'],
    ['', ''],
  ] as const) {
    expect((await followAction(await scopeOf(), code, act)).status).toBe(404);
  }
  for (const code of ['..', 'a.b', '../api/plans', ''])
    expect((await forwardReport(await scopeOf(), code)).status).toBe(404);
  expect(pathsAsked()).toEqual([]);
  expect((await website.browse('/e/7K3M9QXD/a.b')).status).toBe(404);
  expect((await website.browse('/b/a.b', { method: 'POST' })).status).toBe(404);
  expect(pathsAsked()).toEqual([]);
});

test('a visit is forwarded with the headers that identify bots and the owner', async () => {
  const account = await website.host.account();
  const { slug } = await website.host.code(account.id, { visibility: 'private' });
  const browser = await openBrowser(website, account);
  const reported = {
    'user-agent': 'A Phone',
    'accept-language': 'de',
    referer: 'https://from.example/',
    'sec-purpose': 'prefetch',
    purpose: 'prefetch',
    'x-moz': 'prefetch',
    'x-purpose': 'preview',
  };
  const answer = await browser.open(`/l/${slug}?counted=x&utm=secret`, reported);
  expect(statusAndLocation(answer)).toEqual([302, 'https://destination.example/']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const [visit] = requested;
  expect(Object.fromEntries(visit?.headers ?? [])).toMatchObject({
    ...reported,
    authorization: `Bearer ${account.token}`,
  });
  expect(visit?.headers.has('cookie')).toBe(false);
  expect(new URL(visit?.url ?? '').search).toBe('?counted=x');
});

test('a visit keeps the id that the gateway gave it, and is counted once if the gateway sends it again', async () => {
  const account = await website.host.account();
  const { id, slug } = await website.host.code(account.id);
  const sent = {
    ...asWebsite,
    'x-visit-id': 'of-the-gateway',
    'user-agent': 'Mozilla/5.0 (iPhone) Mobile/15E148',
  };
  for (const headers of [sent, sent, { ...sent, 'x-internal-key': 'a guess' }])
    expect((await website.browse(`/r/${slug}`, { headers })).status).toBe(302);
  expect(requested.map(({ headers }) => [headers.get('x-visit-id'), headers.get('x-visit-resent')])).toEqual([
    ['of-the-gateway', '1'],
    ['of-the-gateway', '1'],
    [null, null],
  ]);
  await website.host.recorder.idle();
  expect((await readCode(website.host.db, id)).totals).toEqual([{ scans: 2, clicks: 0, others: 0 }]);
});

test('a text code whose address was copied with a bracket opens, and so do the actions on its page', async () => {
  const account = await website.host.account();
  const { slug } = await website.host.code(account.id, { type: 'text', content: 'https://a.example/x' });
  for (const copied of [`${slug})`, `${slug}.%E2%80%9D`, `%20${slug}`, `${slug}%E2%80%8B`, `${slug}/`]) {
    const answer = await website.browse(`/r/${copied}`);
    expect([copied, answer.status]).toEqual([copied, 200]);
    expect(await answer.text()).toContain(`href="/e/${slug}/open?n=1"`);
  }
});

test('a private code is shown to nobody else', async () => {
  const { slug } = await website.host.code((await website.host.account()).id, { visibility: 'private' });
  const browser = await openBrowser(website, await website.host.account());
  for (const answer of [await browser.open(`/r/${slug}`), await website.browse(`/r/${slug}`)]) {
    expect([answer.status, answer.headers.get('location')]).toEqual([404, null]);
    expect(await answer.text()).not.toContain('destination.example');
  }
});

test('a report from another site is forwarded without a session', async () => {
  const { slug } = await website.host.code((await website.host.account()).id);
  const browser = await openBrowser(website, await website.host.account());
  const answer = await browser.post(`/b/${slug}`, {}, { origin: 'https://shop.example' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(requested).toHaveLength(1);
  expect(requested[0]?.headers.has('authorization')).toBe(false);
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test('a cross-site action is refused', async () => {
  for (const site of ['cross-site', 'same-site']) {
    const headers = { 'sec-fetch-site': site };
    expect((await website.browse('/e/7K3M9QXD/copy', { method: 'POST', headers })).status).toBe(403);
  }
  expect(pathsAsked()).toEqual([]);
  const headers = { 'sec-fetch-site': 'same-origin' };
  await website.browse('/e/7K3M9QXD/copy', { method: 'POST', headers });
  expect(pathsAsked()).toEqual(['/e/7K3M9QXD/copy']);
});

test("the host gets the socket's IP address, whatever the visitor's headers contain", async () => {
  const forged = {
    'x-client-ip': '10.0.0.1',
    'x-forwarded-for': '10.0.0.2',
    'x-socket-address': '192.0.2.7',
  };
  await website.browse('/r/7K3M9QXD', { headers: forged });
  expect(requested.map(({ headers }) => headers.get('x-client-ip'))).toEqual(['192.0.2.7']);
});

test.each([
  ['a link', {}, 302],
  ['a text', { type: 'text', content: 'Hello' }, 200],
  ['an e-mail', { type: 'email', content: 'you@example.com' }, 200],
  ['a private code', { visibility: 'private' }, 404],
  ['a deleted code', null, 404],
] as const)('HEAD of %s has the status of GET and is not a visit', async (_, fields, status) => {
  const { host } = website;
  const account = await host.account();
  const { id, slug } = await host.code(account.id, fields ?? {});
  if (fields === null) await send(host, 'DELETE', `/api/qrcodes/${id}`, undefined, account);
  const record = vi.spyOn(host.recorder, 'record');
  onTestFinished(() => record.mockRestore());
  for (const door of ['r', 'l']) {
    const head = await website.browse(`/${door}/${slug}`, { method: 'HEAD' });
    expect([head.status, record.mock.calls.length]).toEqual([status, 0]);
  }
  const get = await website.browse(`/r/${slug}`);
  expect([get.status, record.mock.calls.length]).toEqual([status, 1]);
});

test.each([
  ['code_private', 404, 'This code is private'],
  ['code_unknown', 404, 'This code does not exist'],
  ['code_deleted', 404, 'This code was deleted'],
  ['code_blocked', 404, 'This code was blocked'],
  ['code_circular', 404, 'This code leads back to itself'],
  ['internal', 500, 'Just a moment'],
  ['unavailable', 503, 'Just a moment'],
])('when the host answers %s (%i), the page is titled “%s”', async (code, status, title) => {
  answer = () => Response.json({ status: 'error', message: 'No', code }, { status });
  const page = await website.browse('/r/7K3M9QXD');
  expect(page.status).toBe(status === 404 ? 404 : 503);
  expect(await page.text()).toContain(`<title>${title}`);
});

test('a response of the host that is cut off in the middle is a failure, not an unknown code', async () => {
  const halves = ['{"data":{"kind":"text","te', '{'];
  for (const half of halves) {
    answer = () => new Response(half, { headers: { 'content-type': 'application/json' } });
    const page = await website.browse('/r/7K3M9QXD');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '30']);
  }
});

test('an action is forwarded with its number alone, and a copy has no page', async () => {
  const account = await website.host.account();
  const text = { type: 'text', content: 'See https://a.example/ and https://b.example/' } as const;
  const { slug } = await website.host.code(account.id, text);
  const opened = await website.browse(`/e/${slug}/open?n=2&utm=secret`);
  expect(statusAndLocation(opened)).toEqual([302, 'https://b.example/']);
  expect(new URL(requested[0]?.url ?? '').search).toBe('?n=2');
  const headers = { 'sec-fetch-site': 'same-origin' };
  const copied = await website.browse(`/e/${slug}/copy`, { method: 'POST', headers });
  expect([copied.status, await copied.text()]).toEqual([204, '']);
});

test('a beacon gets the headers that the host has for other sites, and no others', async () => {
  const passed = {
    'content-type': 'application/json',
    'retry-after': '60',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '86400',
  };
  answer = () =>
    new Response('{"code":"rate_limited"}', { status: 429, headers: { ...passed, 'x-inside': 'a' } });
  const report = await website.browse('/b/7K3M9QXD', { method: 'POST', body: '{}' });
  expect([report.status, await report.text()]).toEqual([429, '{"code":"rate_limited"}']);
  expect(Object.fromEntries(report.headers)).toMatchObject({ ...passed, 'cache-control': 'no-store' });
  expect(report.headers.has('x-inside')).toBe(false);
  answer = () => new Response(null, { status: 204, headers: passed });
  const preflight = await website.browse('/b/7K3M9QXD', { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-max-age')]).toEqual([204, '86400']);
});

test('a beacon is told when the host is down, so that it can report again', async () => {
  await website.hostDown();
  const report = await website.browse('/b/7K3M9QXD', { method: 'POST', body: '{}' });
  expect([report.status, report.headers.get('access-control-allow-origin')]).toEqual([503, '*']);
});
