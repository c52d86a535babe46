import { expect, test, vi } from 'vitest';
import { scopeOf } from '../../support/scope';

vi.hoisted(() => {
  process.env.SESSION_SECRET = 'a secret of the tests that is long enough';
  process.env.PUBLIC_URL = 'https://codes.quadrille.example';
});
const { consentData, findBanner, handleConsent } = await import('~/site/consent/consent.server');

const ADDRESS = 'https://codes.quadrille.example/cookies';

async function scopeWith(fields: Record<string, string> | null, headers: Record<string, string> = {}) {
  const { stay, ...posted } = fields ?? {};
  const init = fields && { method: 'POST', body: new URLSearchParams(posted) };
  const request = new Request(stay ? `${ADDRESS}?stay` : ADDRESS, {
    ...init,
    headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  });
  return scopeOf(request);
}

async function answer(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const result = await handleConsent(await scopeWith(fields, headers));
  const given = new Headers(result instanceof Response ? result.headers : result.init?.headers);
  return {
    status: result instanceof Response ? result.status : result.init?.status,
    location: given.get('Location'),
    cookies: given.getSetCookie(),
  };
}

test.each([
  [{ all: 'Accept all' }, 'v1.analytics.advertising'],
  [{ none: 'Reject all' }, 'v1'],
  [{ analytics: 'yes', advertising: 'no' }, 'v1.analytics'],
  [{ analytics: 'no', advertising: 'yes' }, 'v1.advertising'],
  [{}, 'v1'],
  [{ analytics: 'on', ALL: 'Accept all' }, 'v1'],
] as [Record<string, string>, string][])('%o is stored as %s for twelve months', async (fields, value) => {
  const { cookies } = await answer(fields);
  expect(cookies).toContain(`__Host-consent=${value}; Path=/; Max-Age=31536000; SameSite=Lax; Secure`);
});

test('the response to a choice sent by a script has no page', async () => {
  const { status, cookies } = await answer({ none: 'Reject all', stay: '1' });
  expect(status).toBe(204);
  expect(cookies).toHaveLength(1);
});

test('a text browser, which would show an empty page, returns to its own', async () => {
  const html = { Accept: 'text/html, text/*;q=0.5, image/*' };
  const choose = (headers: Record<string, string>) => answer({ none: 'Reject all', stay: '1' }, headers);
  const referer = { Referer: 'https://codes.quadrille.example/faq?q=logo' };
  expect(await choose({ ...html, ...referer })).toMatchObject({
    status: 303,
    location: '/faq?q=logo',
    cookies: expect.arrayContaining([expect.stringMatching(/^__Host-consent=v1;/)]),
  });
  expect((await choose(html)).location).toBe('/');
  expect((await choose({ ...html, Referer: 'https://codes.quadrille.example//evil.example' })).location).toBe(
    '/',
  );
  expect((await choose({ ...html, ...referer, 'Sec-Fetch-Mode': 'navigate' })).status).toBe(204);
});

test('other choices return to their page with a notice, and never to another site', async () => {
  expect(await answer({ none: 'Reject all', back: '/faq?q=logo' })).toMatchObject({
    status: 303,
    location: '/faq?q=logo',
    cookies: [expect.stringMatching(/^__Host-notice=./), expect.stringMatching(/^__Host-consent=/)],
  });
  for (const back of ['https://evil.example/', '//evil.example', '/\\evil.example', '']) {
    expect((await answer({ none: 'Reject all', back })).location).toBe('/cookies');
  }
});

test("refusing deletes the analytics tag's cookies on every domain that it may have used", async () => {
  const headers = { Cookie: 'lng=fr; _ga=GA1.1.2; _ga_ABC=GS1.1; __Host-consent=v1.analytics' };
  const { cookies } = await answer({ none: 'Reject all', stay: '1' }, headers);
  expect(cookies.slice(1)).toEqual(
    ['_ga', '_ga_ABC'].flatMap((name) => [
      `${name}=; Path=/; Max-Age=0`,
      `${name}=; Path=/; Max-Age=0; Domain=codes.quadrille.example`,
      `${name}=; Path=/; Max-Age=0; Domain=quadrille.example`,
    ]),
  );
  expect((await answer({ all: 'Accept all', stay: '1' }, headers)).cookies).toHaveLength(1);
});

test('a cross-site POST is refused', async () => {
  const foreign = await scopeWith({ all: 'Accept all' }, { 'Sec-Fetch-Site': 'cross-site' });
  await expect(handleConsent(foreign)).rejects.toMatchObject({ init: { status: 403 } });
});

test('the banner is shown until there is a choice, but not on the cookie page', async () => {
  const scope = (path: string, cookie = '') =>
    scopeOf(new Request(`https://codes.quadrille.example${path}`, { headers: { Cookie: cookie } }));
  expect(findBanner(await scope('/?lng=fr'))).toMatchObject({ reject: 'Tout refuser' });
  expect(findBanner(await scope('/faq?lng=de', '__Host-consent=v0'))).toMatchObject({
    reject: 'Alle ablehnen',
  });
  expect(findBanner(await scope('/?lng=fr', '__Host-consent=v1'))).toBeNull();
  expect(findBanner(await scope('/cookies?lng=fr'))).toBeNull();
});

test('the page shows the choice and the tables of the cookie policy', async () => {
  const { consent, sections } = await consentData(
    await scopeWith(null, { Cookie: '__Host-consent=v1.advertising' }),
  );
  expect(consent).toEqual({ necessary: true, analytics: false, advertising: true });
  expect(sections.map(({ id, table }) => [id, Boolean(table)])).toEqual([
    ['technical', true],
    ['analytics', true],
    ['advertising', false],
  ]);
  expect((await consentData(await scopeWith(null))).consent).toBeNull();
});
