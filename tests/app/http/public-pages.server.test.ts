import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const PLAIN = { accept: 'text/html', 'accept-language': 'en-GB' };
const PAGES = {
  '/': 'site/home-page.tsx',
  '/pricings': 'site/pricing-page.tsx',
  '/contact': 'site/contact-page.tsx',
  '/faq': 'site/faq-page.tsx',
  '/legal-notices': 'site/legal/notices-page.tsx',
  '/developers': 'site/developers/guide-page.tsx',
};

let website: TestWebsite;
let port: number;
let publicPageKey: typeof import('~/http/public-pages.server').publicPageKey;
const server = createServer((_, response) => response.setHeader('x-asked', 'the website').end());

beforeAll(async () => {
  website = await createTestWebsite({ ...PAGES, '/login': 'account/sign-in/page.tsx' });
  const module = await import('~/http/public-pages.server');
  publicPageKey = module.publicPageKey;
  module.answerPublicPages(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.close();
  await website.close();
});

interface Answer {
  text: string;
  headers: IncomingHttpHeaders;
  isKept: boolean;
}

/** Requests a page as a browser would that names `localhost` as its host. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request({ port, path, method, headers: { host: 'localhost', ...PLAIN, ...headers } }).end();
  const [answer] = await once(sent, 'response');
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  const bytes = Buffer.concat(parts);
  const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return { text, headers: answer.headers, isKept: answer.headers['x-asked'] === undefined };
}

/** Lets what earlier tests made expire. */
function forget(): void {
  const later = performance.now() + 60_000;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
}

async function render(path: string, headers: Record<string, string> = {}, as?: { token: string }) {
  const response = await website.browse(path, { headers: { ...PLAIN, ...headers }, ...(as && { as }) });
  return { text: await response.text(), headers: response.headers };
}

/** A nonce, or the key of a form. */
const ONE_TIME_VALUE = /nonce="[^"]*"|[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g;

/** The page without the values of its own response. */
function withoutOneTimeValues(html: string): string {
  return html.replace(ONE_TIME_VALUE, '');
}

test('a second visitor gets the page that was rendered for the first, with a nonce and a form key of its own', async () => {
  vi.stubEnv('PROD', true);
  onTestFinished(() => {
    vi.stubEnv('PROD', false);
  });
  const rendered = await render('/');
  const [one, two] = [await ask('/'), await ask('/')];
  expect(withoutOneTimeValues(one.text)).toBe(withoutOneTimeValues(rendered.text));
  const nonceOf = ({ text }: { text: string }) => [
    ...new Set([...text.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce)),
  ];
  const keyOf = ({ text }: { text: string }) => /name="key" value="([^"]+)"/.exec(text)?.[1];
  expect(nonceOf(one)).toHaveLength(1);
  expect(one.headers['content-security-policy']).toContain(`'nonce-${nonceOf(one)[0]}'`);
  expect(new Set([rendered, one, two].flatMap(nonceOf)).size).toBe(3);
  expect(new Set([rendered, one, two].map(keyOf)).size).toBe(3);
  for (const answer of [one, two]) expect(answer.text.split(keyOf(answer) ?? '')).toHaveLength(3);
});

test.each(Object.keys(PAGES))(
  'nothing that %s has for one visitor alone is in the page of another',
  async (path) => {
    await render(path);
    const [one, two] = [await ask(path), await ask(path)];
    expect([one.isKept, two.isKept]).toEqual([true, true]);
    const valuesOf = ({ text }: Answer) => [...text.matchAll(ONE_TIME_VALUE)].map(String);
    expect(valuesOf(one).length).toBeGreaterThan(0);
    expect(valuesOf(one).filter((value) => valuesOf(two).includes(value))).toEqual([]);
  },
);

test('the headers are those of the rendered page', async () => {
  const rendered = await render('/faq');
  const { headers } = await ask('/faq', { 'x-request-id': 'an-id-of-the-gateway' });
  for (const [name, value] of rendered.headers) {
    if (['content-security-policy', 'x-request-id', 'vary'].includes(name)) continue;
    expect(headers[name]).toBe(value);
  }
  expect(headers['x-request-id']).toBe('an-id-of-the-gateway');
  expect(headers.vary).toBe(`${rendered.headers.get('vary')}, Accept-Encoding`);
});

test.each([
  ['gzip, deflate, br', true],
  ['GZIP', true],
  ['br, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, br', false],
  ['identity', false],
  ['x-gzipped', false],
])('for Accept-Encoding %s the page is compressed: %s', async (accepted, isCompressed) => {
  await render('/');
  const plain = await ask('/');
  const answer = await ask('/', { 'accept-encoding': accepted });
  expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  expect(withoutOneTimeValues(answer.text)).toBe(withoutOneTimeValues(plain.text));
  if (isCompressed) expect(Number(answer.headers['content-length'])).toBeLessThan(plain.text.length / 3);
});

test('the language, the theme, the cookie choice and the host each have a page of their own', async () => {
  const kinds: Record<string, string>[] = [
    {},
    { 'accept-language': 'de' },
    { cookie: 'lng=fr' },
    { cookie: 'theme=dark' },
    { cookie: 'consent=v1' },
    { cookie: 'lng=fr; theme=dark; consent=v1.analytics' },
  ];
  const rendered: string[] = [];
  for (const headers of kinds) rendered.push(withoutOneTimeValues((await render('/', headers)).text));
  expect(new Set(rendered).size).toBe(kinds.length);
  for (const [position, headers] of kinds.entries())
    expect(withoutOneTimeValues((await ask('/', headers)).text)).toBe(rendered[position]);
  expect((await ask('/', { host: '127.0.0.1' })).isKept).toBe(false);
  expect((await ask('/', { 'x-forwarded-host': '127.0.0.1' })).isKept).toBe(false);
});

test.each<[string, string, Record<string, string>, string?]>([
  ['a session', '/', { cookie: 'session=x' }],
  ['a session behind choices', '/', { cookie: 'theme=system; __Host-session=x' }],
  ['a draft', '/', { cookie: 'visitor=x' }],
  ['a message', '/', { cookie: 'notice=x' }],
  ['an unknown cookie', '/', { cookie: 'lng=gb; other=x' }],
  ['a cookie without a name', '/', { cookie: 'x' }],
  ['a query', '/?lng=de', {}],
  ['a part', '/', { range: 'bytes=0-9' }],
  ['a token', '/', { authorization: 'Bearer x' }],
  ['no body', '/', {}, 'HEAD'],
  ['a posted form', '/', {}, 'POST'],
  ['data for the router', '/_root.data', {}],
])('the website itself answers a request with %s', async (_, path, headers, method) => {
  await render('/');
  expect((await ask('/')).isKept).toBe(true);
  expect((await ask(path, headers, method)).isKept).toBe(false);
});

test('nothing that was rendered for somebody signed in, with a message or after a form is kept', async () => {
  forget();
  const account = await website.host.account();
  await render('/', {}, account);
  await render('/faq', { cookie: 'visitor=something' });
  await website.browse('/contact', {
    method: 'POST',
    headers: PLAIN,
    body: new URLSearchParams({ name: 'Ada' }),
  });
  for (const path of Object.keys(PAGES)) expect((await ask(path)).isKept).toBe(false);
});

test('only pages that say that they are public are kept', async () => {
  expect((await website.browse('/login', { headers: PLAIN })).status).toBe(200);
  expect((await ask('/login')).isKept).toBe(false);
});

test('a page is kept for five seconds', async () => {
  await render('/');
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 4_900);
  onTestFinished(() => clock.mockRestore());
  expect((await ask('/')).isKept).toBe(true);
  clock.mockReturnValue(now + 5_100);
  expect((await ask('/')).isKept).toBe(false);
});

test('a cookie that another host may have set is not taken for one with the prefix', () => {
  const keyOf = (cookie: string) =>
    publicPageKey({ method: 'GET', path: '/', header: (name) => (name === 'cookie' ? cookie : undefined) });
  expect(keyOf('consent=v1')).not.toBe(keyOf('__Host-consent=v1'));
});

test('the order of cookies and what they do not decide make no difference', () => {
  const keyOf = (cookie: string) =>
    publicPageKey({ method: 'GET', path: '/', header: (name) => (name === 'cookie' ? cookie : undefined) });
  expect(keyOf('theme=dark; lng=de')).toBe(keyOf('lng=de; theme=dark'));
  expect(keyOf('theme=nonsense')).toBe(keyOf(''));
  expect(keyOf('theme=dark')).not.toBe(keyOf(''));
});
