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

test('cookies insist on TLS where the site has it, and only there', async () => {
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

test('a signed cookie lasts as long as told, is out of reach of scripts, and takes no other word for its own', async () => {
  const { signedCookie } = await cookiesAt('http://localhost:3000');
  const cookie = signedCookie('flow', 600);
  const header = await cookie.serialize({ kept: 1 });
  expect(header).toMatch(/^flow=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  const [pair = ''] = header.split(';');
  expect(await cookie.parse(pair)).toEqual({ kept: 1 });
  expect(await cookie.parse(pair.slice(0, -3))).toBeNull();
});
