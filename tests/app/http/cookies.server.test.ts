import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
  return () => vi.unstubAllEnvs();
});

function cookiesAt(address: string) {
  vi.stubEnv('PUBLIC_URL', address);
  return import('~/http/cookies.server');
}

test('cookies require TLS exactly if the site uses it', async () => {
  for (const [address, isSecure] of [
    ['https://site.example', true],
    ['http://localhost:3000', false],
  ] as const) {
    const { signedCookie, choiceCookie } = await cookiesAt(address);
    const { signInCookie, signOutCookie } = await import('~/http/session.server');
    for (const header of [
      choiceCookie('theme', 'dark'),
      await signedCookie('notice', 60).serialize('x'),
      await signInCookie('a token', false),
      await signInCookie('a token', true),
      await signOutCookie(),
    ]) {
      expect(header.split('; ').includes('Secure')).toBe(isSecure);
      expect(header.startsWith('__Host-')).toBe(isSecure);
      expect(header).toMatch(/; Path=\/(?:;|$)/);
      expect(header).not.toContain('Domain');
    }
    vi.resetModules();
  }
});

test('a signed cookie has the given lifetime, is hidden from scripts, and rejects a forged value', async () => {
  const { signedCookie } = await cookiesAt('http://localhost:3000');
  const cookie = signedCookie('flow', 600);
  const header = await cookie.serialize({ kept: 1 });
  expect(header).toMatch(/^flow=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  const [pair = ''] = header.split(';');
  expect(await cookie.parse(pair)).toEqual({ kept: 1 });
  expect(await cookie.parse(pair.slice(0, -3))).toBeNull();
});

test('a choice is kept for a year, and scripts may read it', async () => {
  const { choiceCookie } = await cookiesAt('http://localhost:3000');
  expect(choiceCookie('theme', 'dark')).toBe('theme=dark; Path=/; Max-Age=31536000; SameSite=Lax');
});

test('the value of one cookie is not valid for another, although both are signed with the same secret', async () => {
  const { signedCookie } = await cookiesAt('http://localhost:3000');
  const [one, other] = [signedCookie('one', 600), signedCookie('other', 600)];
  const [pair = ''] = (await one.serialize(['told'])).split(';');
  expect(await one.parse(pair)).toEqual(['told']);
  expect(await other.parse(pair.replace('one=', 'other='))).toBeNull();
  const { readSession, signInCookie } = await import('~/http/session.server');
  const { readNotices, redirectWithFlash } = await import('~/http/flash.server');
  const headersOf = (cookie: string) => new Request('http://localhost/', { headers: { cookie } });
  const [session = ''] = (await signInCookie('a token', false)).split(';');
  expect(await signedCookie('flow', 600).parse(session.replace('session=', 'flow='))).toBeNull();
  const response = await redirectWithFlash('/', { type: 'info', key: 'session_expired' });
  const [notice = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  expect(await readNotices(headersOf(notice))).toHaveLength(1);
  expect(await readNotices(headersOf(session.replace('session=', 'notice=')))).toEqual([]);
  expect(await readSession(headersOf(notice.replace('notice=', 'session=')))).toBe('broken');
});

test('cookies signed with a rotated secret remain valid', async () => {
  const { signedCookie } = await cookiesAt('http://localhost:3000');
  const [pair = ''] = (await signedCookie('flow', 600).serialize(1)).split(';');
  vi.resetModules();
  vi.stubEnv(
    'SESSION_SECRET',
    `a newer secret of the tests that is long enough,${process.env.SESSION_SECRET}`,
  );
  const rotated = await import('~/http/cookies.server');
  expect(await rotated.signedCookie('flow', 600).parse(pair)).toBe(1);
});

test('cookies work on websites of this release and the previous one side by side', async () => {
  await cookiesAt('http://localhost:3000');
  const { createCookie } = await import('@remix-run/node');
  const { readSession, signInCookie } = await import('~/http/session.server');
  const { readDevices, signInCookies } = await import('~/http/session.server');
  const { readVisitor, visitorCookie } = await import('~/http/visitor.server');
  const { readNotices } = await import('~/http/flash.server');
  const secrets = [process.env.SESSION_SECRET ?? ''];
  const signedBefore = async (name: string, value: unknown) => {
    const [cookie = ''] = (await createCookie(name, { secrets }).serialize(value)).split(';');
    return new Request('http://localhost/', { headers: { cookie } });
  };
  const readBefore = (name: string, header: string) => createCookie(name, { secrets }).parse(header);
  const claims = { sub: '1', email: 'ada@test.example', roles: ['ROLE_USER'], exp: 4_000_000_000 };
  const token = `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  expect(await readSession(await signedBefore('session', { token }))).toMatchObject({ token });
  expect(await readBefore('session', await signInCookie(token, false))).toMatchObject({ token });
  const known = await signedBefore('device', ['known']);
  expect(await readDevices(known)).toEqual(['known']);
  const devices = (await signInCookies(known, { token, device: 'new' }, false)).find((header) =>
    header.startsWith('device='),
  );
  expect(await readBefore('device', devices ?? '')).toContain('new');
  const visitor = { key: 'a key of more than twenty characters' };
  expect(await readVisitor(await signedBefore('visitor', visitor))).toEqual(visitor);
  expect(await readBefore('visitor', await visitorCookie(visitor))).toEqual(visitor);
  const planted = [{ id: '1', type: 'info', key: 'session_expired' }];
  expect(await readNotices(await signedBefore('notice', planted))).toEqual([]);
});
