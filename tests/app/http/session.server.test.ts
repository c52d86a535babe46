import { expect, onTestFinished, test, vi } from 'vitest';
import { readClaims } from '#runtime/session-cookies';
import { signedCookie } from '~/http/cookies.server';
import { readNotices, redirectWithFlash } from '~/http/flash.server';
import { requireUser, requireVisitor } from '~/http/guards.server';
import { readDevices, readSession, signInCookie } from '~/http/session.server';

function tokenFor(expSeconds: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part({ sub: '1', email: 'ada@test.example', roles: ['ROLE_USER'], exp: expSeconds })}.x`;
}

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const cookieOf = (setCookie: string) => setCookie.split(';')[0] ?? '';
const at = (path: string, cookie = '') => new Request(`http://localhost${path}`, { headers: { cookie } });

const visitTo = (...request: Parameters<typeof at>) => ({ request: at(...request), context: {} });

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

test('of several cookies of one name the first counts, as browsers send the closest first', async () => {
  const [ada, broken] = [cookieOf(await signInCookie(tokenFor(inAnHour()), false)), 'session=nonsense'];
  expect(await readSession(at('/', `${ada}; ${broken}`))).toMatchObject({ email: 'ada@test.example' });
  expect(await readSession(at('/', `${broken}; ${ada}`))).toBe('broken');
});

test('the session is found among other cookies, and only if it has a value', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(inAnHour()), false));
  expect(await readSession(at('/', `lng=fr;  ${cookie}; theme=dark`))).toMatchObject({
    roles: ['ROLE_USER'],
  });
  expect(await readSession(at('/', `lng=fr;${cookie}`))).toMatchObject({ email: 'ada@test.example' });
  for (const none of ['', 'session=', 'session=; theme=dark', `my${cookie}`, `lng=${cookie}`])
    expect(await readSession(at('/', none)), none).toBeNull();
});

test('a session is over from the second in which its token expires', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const exp = inAnHour();
  const cookie = cookieOf(await signInCookie(tokenFor(exp), false));
  vi.setSystemTime(exp * 1000 - 1);
  expect(await readSession(at('/', cookie))).toMatchObject({ isExpired: false });
  vi.setSystemTime(exp * 1000);
  expect(await readSession(at('/', cookie))).toMatchObject({ isExpired: true });
});

test.each(['', 'x', 'a.b.c', `a.${Buffer.from('{"sub":"1"}').toString('base64url')}.c`])(
  'a cookie with the token %j is broken',
  async (token) => {
    expect(readClaims(token)).toBeNull();
    expect(await readSession(at('/', cookieOf(await signInCookie(token, false))))).toBe('broken');
    expect(await signInCookie(token, true)).toContain('Expires=Thu, 01 Jan 1970');
  },
);

test.each([
  ['more devices than a browser keeps', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['an overlong device token', ['x'.repeat(101)]],
  ['an empty device token', ['']],
  ['no list', 'a'],
])('a device cookie with %s is ignored', async (_, value) => {
  const cookie = signedCookie('device').serialize(value);
  expect(await readDevices(at('/', cookieOf(await cookie)))).toEqual([]);
});

test('a guard redirects to the login page and back', async () => {
  const response = await redirectOf(requireUser(visitTo('/user/qrcodes?page=2')));
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/login?next=%2Fuser%2Fqrcodes%3Fpage%3D2');
  expect(response.headers.getSetCookie()).toEqual([]);
  for (const [path, to] of [
    ['/', '/login'],
    ['/?index', '/login'],
    ['/login/code', '/login'],
    ['/user/qrcodes?index', '/login?next=%2Fuser%2Fqrcodes'],
    ['/user/qrcodes?search=?index', '/login?next=%2Fuser%2Fqrcodes%3Fsearch%3D%3Findex'],
    ['/user/qrcodes?index=2', '/login?next=%2Fuser%2Fqrcodes%3Findex%3D2'],
    ['/user/login', '/login?next=%2Fuser%2Flogin'],
  ] as const)
    expect((await redirectOf(requireUser(visitTo(path)))).headers.get('location'), path).toBe(to);
});

test('a guard lets a signed-in user pass, and ends a broken session', async () => {
  const token = tokenFor(inAnHour());
  const cookie = cookieOf(await signInCookie(token, false));
  expect(await requireUser(visitTo('/user/qrcodes', cookie))).toMatchObject({ user: { token } });
  const broken = await redirectOf(requireUser(visitTo('/user/qrcodes', 'session=nonsense')));
  expect(broken.headers.getSetCookie().map((set) => set.split('=')[0])).toEqual(['notice', 'session']);
});

test('an expired session ends with a persistent message', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(1000), false));
  const response = await redirectOf(requireUser(visitTo('/user/qrcodes', cookie)));
  const cookies = response.headers.getSetCookie();
  expect(cookies.find((value) => value.startsWith('session='))).toMatch(/Expires=Thu, 01 Jan 1970/);
  const notice = cookies.find((value) => value.startsWith('notice=')) ?? '';
  expect(await readNotices(at('/login', cookieOf(notice)))).toMatchObject([
    { type: 'info', key: 'session_expired', persistent: true },
  ]);
});

test('visitor-only pages redirect a signed-in user', async () => {
  const cookie = cookieOf(await signInCookie(tokenFor(inAnHour()), false));
  const leadsTo = async (path: string) =>
    (await redirectOf(requireVisitor(visitTo(path, cookie)))).headers.get('location');
  expect(await leadsTo('/login')).toBe('/');
  // Signed in meanwhile, in another tab.
  expect(await leadsTo('/login?next=%2Fuser%2Fqrcodes%3Fpage%3D2')).toBe('/user/qrcodes?page=2');
  expect(await leadsTo('/login?next=%2F%2Felsewhere.example')).toBe('/');
  await expect(requireVisitor(visitTo('/login'))).resolves.toMatchObject({ user: null });
});

test('an unsigned notice is not shown', async () => {
  const planted = Buffer.from(JSON.stringify([{ id: '1', type: 'info', key: 'qrcode_created' }])).toString(
    'base64',
  );
  expect(await readNotices(at('/', `notice=${planted}`))).toEqual([]);
  const response = await redirectWithFlash('/x', { type: 'success', key: 'qrcode_created' });
  expect(response.status).toBe(303);
});
