import { expect, test } from 'vitest';
import { endSession } from '~/http/guards.server';
import { readSession, type Session, signInCookie } from '~/http/session.server';
import { readUnsent, unsentCookie } from '~/http/unsent.server';

const HOUR_SECONDS = 3600;

function tokenFor(sub: string, expSeconds = Math.floor(Date.now() / 1000) + HOUR_SECONDS): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub, email: `${sub}@test.example`, roles: ['ROLE_USER'], exp: expSeconds };
  return `${part({ alg: 'HS256' })}.${part(claims)}.x`;
}

const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? '';

async function posting(
  token: string,
  fields: Record<string, string>,
  path = '/user/settings',
): Promise<Request> {
  const cookie = pairOf(await signInCookie(token, false));
  const body = new URLSearchParams(fields);
  return new Request(`http://localhost${path}`, { method: 'POST', headers: { cookie }, body });
}

async function sessionOf(token: string): Promise<Session> {
  const cookie = pairOf(await signInCookie(token, false));
  return (await readSession(new Request('http://localhost/', { headers: { cookie } }))) as Session;
}

const opening = (path: string, cookie: string) =>
  new Request(`http://localhost${path}`, { headers: { cookie } });

function unsentOf(response: Response): string | undefined {
  return response.headers.getSetCookie().find((cookie) => /^unsent=[^;]/.test(cookie));
}

test('what was posted comes back on its page, to its owner, without secrets', async () => {
  const fields = { intent: 'profile', firstName: 'Ada', currentPassword: 'not to be kept' };
  const answer = await endSession(await posting(tokenFor('ada'), fields));
  expect(answer.headers.get('location')).toBe('/login?next=%2Fuser%2Fsettings');
  const cookie = unsentOf(answer) ?? '';
  expect(cookie).toMatch(/HttpOnly.*SameSite=Lax/i);
  expect(cookie).toContain('Max-Age=900');
  expect(
    await readUnsent(opening('/user/settings', pairOf(cookie)), await sessionOf(tokenFor('ada'))),
  ).toEqual([
    ['intent', 'profile'],
    ['firstName', 'Ada'],
  ]);
});

test('nobody else gets to see it, and no other page', async () => {
  const cookie = pairOf(
    unsentOf(await endSession(await posting(tokenFor('ada'), { firstName: 'Ada' }))) ?? '',
  );
  expect(await readUnsent(opening('/user/settings', cookie), await sessionOf(tokenFor('eve')))).toBeNull();
  expect(await readUnsent(opening('/user/qrcodes', cookie), await sessionOf(tokenFor('ada')))).toBeNull();
  const altered = cookie.replace(/=./, '=x');
  expect(await readUnsent(opening('/user/settings', altered), await sessionOf(tokenFor('ada')))).toBeNull();
});

test('a session that has run out still says whose it was', async () => {
  const expired = tokenFor('ada', 1);
  expect(unsentOf(await endSession(await posting(expired, { firstName: 'Ada' })))).toBeDefined();
});

test('nothing is kept of a page that was only opened, of a bare button, or of too much', async () => {
  const cookie = pairOf(await signInCookie(tokenFor('ada'), false));
  expect(unsentOf(await endSession(opening('/user/settings', cookie)))).toBeUndefined();
  expect(
    unsentOf(await endSession(await posting(tokenFor('ada'), { intent: 'end-others' }))),
  ).toBeUndefined();
  const much = { body: 'x'.repeat(4000) };
  expect(unsentOf(await endSession(await posting(tokenFor('ada'), much)))).toBeUndefined();
  const request = await posting(tokenFor('ada'), {});
  expect((await unsentCookie(request, [['body', 'é'.repeat(700)]]))?.length).toBeLessThanOrEqual(3000);
});

test('without a session nobody knows whose it is', async () => {
  const request = new Request('http://localhost/user/settings', {
    method: 'POST',
    body: new URLSearchParams({ firstName: 'Ada' }),
  });
  expect(unsentOf(await endSession(request))).toBeUndefined();
});
