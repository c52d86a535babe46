import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
/** The website's requests to the host since the start of the test. */
let asked: Request[];

beforeAll(async () => {
  const routes = {
    '/r/:code': 'r.$code.ts',
    '/l/:code': 'l.$code.ts',
    '/e/:code/:act': 'e.$code.$act.ts',
    '/b/:code': 'b.$code.ts',
  };
  website = await createTestWebsite(routes, (request, pass) => {
    asked.push(request);
    return pass();
  });
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => website.close());

const pathsAsked = () => asked.map(({ url }) => new URL(url).pathname);

test('a code or action name with dots never reaches another path of the host', async () => {
  const { followAction, forwardReport } = await import('~/codes/visits.server');
  const requestContext = () => ({ request: new Request('http://localhost/e/x/y'), context: {} });
  for (const [code, act] of [
    ['..', 'copy'],
    ['7K3M9QXD', '..'],
    ['7K3M9QXD', 'a.b'],
    ['..%2Fapi', 'plans'],
    ['', ''],
  ] as const) {
    expect((await followAction(requestContext(), code, act)).status).toBe(404);
  }
  for (const code of ['..', 'a.b', '../api/plans', ''])
    expect((await forwardReport(requestContext(), code)).status).toBe(404);
  expect(pathsAsked()).toEqual([]);
  expect((await website.browse('/e/7K3M9QXD/a.b')).status).toBe(404);
  expect((await website.browse('/b/a.b', { method: 'POST' })).status).toBe(404);
  expect(pathsAsked()).toEqual([]);
});

test('a visit is forwarded with the headers that identify bots and the owner', async () => {
  const account = await website.host.account();
  const { slug } = await website.host.code(account.id, { visibility: 'private' });
  const browser = await openBrowser(website, account);
  const told = {
    ...{ 'user-agent': 'A Phone', 'accept-language': 'de', referer: 'https://from.example/' },
    ...{ 'sec-purpose': 'prefetch', purpose: 'prefetch', 'x-moz': 'prefetch', 'x-purpose': 'preview' },
  };
  const answer = await browser.open(`/l/${slug}?counted=x&utm=secret`, told);
  expect(statusAndLocation(answer)).toEqual([302, 'https://destination.example/']);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const [visit] = asked;
  expect(Object.fromEntries(visit?.headers ?? [])).toMatchObject({
    ...told,
    authorization: `Bearer ${account.token}`,
  });
  expect(visit?.headers.has('cookie')).toBe(false);
  expect(new URL(visit?.url ?? '').search).toBe('?counted=x');
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
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers.has('authorization')).toBe(false);
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
  expect(asked.map(({ headers }) => headers.get('x-client-ip'))).toEqual(['192.0.2.7']);
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
