import { afterAll, beforeAll, expect, test } from 'vitest';
import { userScopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/contact': 'site/contact-page.tsx',
  });
});
afterAll(async () => website.close());

function expiredToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: '1', email: 'ada@test.example', roles: ['ROLE_USER'], exp: 1_700_000_000 };
  return `${part({ alg: 'HS256' })}.${part(claims)}.x`;
}

/** Posts with an expired session; returns the redirect and the input restored after the next sign-in. */
async function postAfterExpiry(path: string, entered: Record<string, string>) {
  const as = { token: expiredToken() };
  const answer = await website.browse(path, { method: 'POST', body: new URLSearchParams(entered), as });
  const cookie = answer.headers.getSetCookie().find((set) => set.startsWith('unsent=')) ?? '';
  const { readInterruptedPost } = await import('~/http/interrupted-post.server');
  const to = new URL(answer.headers.get('location') ?? '', 'http://localhost');
  const after = new Request(new URL(to.searchParams.get('next') ?? '/', to), {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  const scope = await userScopeOf(as, after);
  return {
    status: answer.status,
    to: to.pathname + to.search,
    kept: await readInterruptedPost(scope),
  };
}

test('a design sent after the session expired is restored after the login', async () => {
  const entered = { type: 'link', content: 'https://typed.example/', intent: 'create' };
  expect(await postAfterExpiry('/create', entered)).toEqual({
    status: 303,
    to: '/login?next=%2Fcreate',
    kept: Object.entries(entered),
  });
});

test('a refused form sent after the session expired is restored after the login, too', async () => {
  const entered = { firstname: 'Ada', lastname: 'Lovelace' };
  expect(await postAfterExpiry('/contact', entered)).toEqual({
    status: 303,
    to: '/login?next=%2Fcontact',
    kept: Object.entries(entered),
  });
});
