import { expect, test } from 'vitest';
import { readNotices, redirectWithFlash } from '~/http/flash.server';
import { requireUser, requireVisitor } from '~/http/guards.server';
import { readSession, signInCookie } from '~/http/session.server';

function tokenFor(expSeconds: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ sub: '1', email: 'ada@test.example', roles: ['ROLE_USER'], exp: expSeconds })}.x`;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const cookieOf = (setCookie: string) => setCookie.split(';')[0] ?? '';
const at = (path: string, cookie = '') => new Request(`http://localhost${path}`, { headers: { cookie } });

async function redirectOf(guard: Promise<unknown>): Promise<Response> {
  return guard.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (thrown: Response) => thrown,
  );
}

test('the cookie identifies who signed in', async () => {
  const cookie = await signInCookie(tokenFor(inAnHour()), false);
  expect(cookie).toMatch(/HttpOnly.*SameSite=Lax/i);
  expect(cookie).not.toMatch(/Expires|Max-Age/i);
  expect(await readSession(at('/', cookieOf(cookie)))).toMatchObject({
    email: 'ada@test.example',
    isExpired: false,
  });
});

test('a remembered session lasts as long as its token', async () => {
  const exp = inAnHour();
  const cookie = await signInCookie(tokenFor(exp), true);
  expect(cookie).toContain(`Expires=${new Date(exp * 1000).toUTCString()}`);
});

test('an altered cookie is reported as broken, a missing one as none', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(inAnHour()), false));
  expect(
    await readSession(
      at(
        '/',
        cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      ),
    ),
  ).toBe('broken');
  expect(await readSession(at('/', 'session=nonsense'))).toBe('broken');
  expect(await readSession(at('/', 'sessions=1'))).toBeNull();
});

test('a guard redirects to the login page and back', async () => {
  const response = await redirectOf(requireUser(at('/user/qrcodes?page=2')));
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/login?next=%2Fuser%2Fqrcodes%3Fpage%3D2');
});

test('an expired session ends with a persistent message', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(1000), false));
  const response = await redirectOf(requireUser(at('/user/qrcodes', cookie)));
  const cookies = response.headers.getSetCookie();
  expect(cookies.find((value) => value.startsWith('session='))).toMatch(/Expires=Thu, 01 Jan 1970/);
  const notice = cookies.find((value) => value.startsWith('notice=')) ?? '';
  expect(await readNotices(at('/login', cookieOf(notice)))).toMatchObject([
    { type: 'info', key: 'session_expired', persistent: true },
  ]);
});

test('visitor-only pages redirect a signed-in user', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(inAnHour()), false));
  expect((await redirectOf(requireVisitor(at('/login', cookie)))).headers.get('location')).toBe('/');
  await expect(requireVisitor(at('/login'))).resolves.toBeUndefined();
});

test('an unsigned notice is not shown', async () => {
  const planted = Buffer.from(JSON.stringify([{ id: '1', type: 'info', key: 'qrcode_created' }])).toString(
    'base64',
  );
  expect(await readNotices(at('/', `notice=${planted}`))).toEqual([]);
  const response = await redirectWithFlash('/x', { type: 'success', key: 'qrcode_created' });
  expect(response.status).toBe(303);
});
