import { afterAll, beforeAll, expect, test } from 'vitest';
import { announceChanges } from '#host/codes/code/store';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const SITE = 'https://www.quadrille.example';
const JSON_CALLER = { accept: 'application/json' };
let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
});
afterAll(() => host.close());

/** Codes with links to each other, stored directly as from before such links were refused. */
async function codesOf(...contents: ((slugs: string[]) => string)[]): Promise<string[]> {
  const start = Math.floor(Math.random() * 1e6);
  const slugs = contents.map((_, n) => String(10_000_000 + start * 10 + n));
  for (const [n, content] of contents.entries()) {
    await host.code(owner.id, { slug: slugs[n] ?? '', content: content(slugs) });
  }
  return slugs;
}

/** Changes a stored code and tells the cache, which learns of it in milliseconds. */
async function change(slug = '', assignment: string): Promise<void> {
  await host.db.query({ name: '', text: `update codes set ${assignment} where slug = $1`, values: [slug] });
  await announceChanges(host.db.orm, [{ slug }]);
}

const visit = (slug: string | undefined, headers: Record<string, string> = {}, token?: string) =>
  host.request(`/r/${slug}`, { headers, ...(token !== undefined && { token }) });

async function expectCircular(slug: string | undefined): Promise<void> {
  const page = await visit(slug);
  expect([page.status, page.headers.get('location')?.replace(/\?.*/, '')]).toEqual([
    302,
    `${SITE}/r/${slug}`,
  ]);
  const reported = await visit(slug, JSON_CALLER);
  expect(reported.status).toBe(404);
  expect(await reported.json()).toMatchObject({ code: 'code_circular' });
}

test.each([
  ['directly', (slug = '') => `${SITE}/r/${slug}`],
  ['on the other domain', (slug = '') => `https://go.quadrille.example/l/${slug}`],
  ['percent-encoded', (slug = '') => `${SITE}/%72/${slug}`],
  ['with dots and slashes', (slug = '') => `http://WWW.quadrille.example.//x/..//R/${slug}`],
  ['with the default port', (slug = '') => `https://www.quadrille.example:443/r/${slug}`],
  ['at the host itself', (slug = '') => `http://localhost:4000/r/${slug}`],
  ['through the login', (slug = '') => `${SITE}/login?next=%2Fr%2F${slug}`],
])('a code that links to itself %s gets a page instead of a redirect', async (_, content) => {
  const [code] = await codesOf(([slug]) => content(slug));
  await expectCircular(code);
});

test('codes that link to each other get a page, wherever the loop is entered', async () => {
  const [a, b, c] = await codesOf(
    ([, b]) => `${SITE}/r/${b}`,
    ([, , c]) => `${SITE}/l/${c}`,
    ([, b]) => `${SITE}/%52/${b}`,
  );
  for (const code of [a, b, c]) await expectCircular(code);
});

test('a short chain of codes is followed; one that is too long is not', async () => {
  const [first, last] = await codesOf(
    ([, last]) => `${SITE}/r/${last}`,
    () => 'https://destination.example/',
  );
  expect((await visit(first)).headers.get('location')).toBe(`${SITE}/r/${last}`);
  const chainOf = async (length: number) => {
    const links = Array.from({ length }, (_, n) => (slugs: string[]) => {
      return n + 1 < length ? `${SITE}/r/${slugs[n + 1]}` : 'https://destination.example/';
    });
    return codesOf(...links);
  };
  const [longest, next] = await chainOf(8);
  expect((await visit(longest)).headers.get('location')).toBe(`${SITE}/r/${next}`);
  const [longer] = await chainOf(9);
  await expectCircular(longer);
});

test('a code that leads to its own beacon is no loop, as a beacon redirects nobody', async () => {
  const [code] = await codesOf(([slug]) => `https://go.quadrille.example/b/${slug}`);
  expect((await visit(code)).headers.get('location')).toBe(`https://go.quadrille.example/b/${code}`);
});

test('a loop through a private code is detected for its owner too', async () => {
  const [a, b] = await codesOf(
    ([, b]) => `${SITE}/r/${b}`,
    ([a]) => `${SITE}/r/${a}`,
  );
  await change(b, "visibility = 'private'");
  // Others are not told where it leads any more.
  await expect.poll(async () => (await visit(b, JSON_CALLER)).text()).not.toContain('"code_circular"');
  expect((await visit(a, JSON_CALLER, owner.token)).status).toBe(404);
});

test.each(['?n=1', '', '?n=', '?n=0', '?n=x'])(
  'a text whose link opens itself (%j) is a loop too',
  async (search) => {
    const [slug = ''] = await codesOf(
      ([slug]) => `Look: ${SITE}/e/${slug}/open${search} and https://a.example/`,
    );
    await change(slug, "type = 'text'");
    const open = (n: number) => host.request(`/e/${slug}/open?n=${n}`, { headers: JSON_CALLER });
    await expect.poll(async () => (await open(1)).text()).toContain('"code_circular"');
    expect((await open(2)).headers.get('location')).toBe('https://a.example/');
  },
);
