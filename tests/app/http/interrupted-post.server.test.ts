import { expect, test } from 'vitest';
import { endSession } from '~/http/guards.server';
import {
  clearedInterruptedPostCookie,
  interruptedPostCookie,
  readInterruptedPost,
} from '~/http/interrupted-post.server';
import type { Scope } from '~/http/scope.server';
import { signInCookie } from '~/http/session.server';
import { scopeOf, userScopeOf } from '../../support/scope';

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
): Promise<Scope> {
  const cookie = pairOf(await signInCookie(token, false));
  const body = new URLSearchParams(fields);
  return scopeOf(new Request(`http://localhost${path}`, { method: 'POST', headers: { cookie }, body }));
}

const opening = (path: string, cookie: string) =>
  new Request(`http://localhost${path}`, { headers: { cookie } });

const keptFor = async (owner: string, path: string, cookie: string) =>
  readInterruptedPost(await userScopeOf({ token: tokenFor(owner) }, opening(path, cookie)));

function keptPostOf(response: Response): string | undefined {
  return response.headers.getSetCookie().find((cookie) => /^unsent=[^;]/.test(cookie));
}

test('posted input is restored on its page for its owner, without secrets', async () => {
  const fields = { intent: 'profile', firstName: 'Ada', currentPassword: 'not to be kept' };
  const answer = await endSession(await posting(tokenFor('ada'), fields));
  expect(answer.headers.get('location')).toBe('/login?next=%2Fuser%2Fsettings');
  const cookie = keptPostOf(answer) ?? '';
  expect(cookie).toMatch(/HttpOnly.*SameSite=Lax/i);
  expect(cookie).toContain('Max-Age=900');
  expect(await keptFor('ada', '/user/settings', pairOf(cookie))).toEqual([
    ['intent', 'profile'],
    ['firstName', 'Ada'],
  ]);
});

test('the input is shown to nobody else and on no other page', async () => {
  const cookie = pairOf(
    keptPostOf(await endSession(await posting(tokenFor('ada'), { firstName: 'Ada' }))) ?? '',
  );
  expect(await keptFor('eve', '/user/settings', cookie)).toBeNull();
  expect(await keptFor('ada', '/user/qrcodes', cookie)).toBeNull();
  const altered = cookie.replace(/=./, '=x');
  expect(await keptFor('ada', '/user/settings', altered)).toBeNull();
});

test('an expired session still identifies its owner', async () => {
  const expired = tokenFor('ada', 1);
  expect(keptPostOf(await endSession(await posting(expired, { firstName: 'Ada' })))).toBeDefined();
});

test('nothing is stored for a page that was only opened or a form without input', async () => {
  const cookie = pairOf(await signInCookie(tokenFor('ada'), false));
  expect(keptPostOf(await endSession(await scopeOf(opening('/user/settings', cookie))))).toBeUndefined();
  const bare: Record<string, string>[] = [{ intent: 'end-others' }, { intent: 'profile', firstName: '' }, {}];
  for (const fields of bare) {
    expect(keptPostOf(await endSession(await posting(tokenFor('ada'), fields)))).toBeUndefined();
  }
});

test('input that fits into a cookie is stored completely, larger input not at all', async () => {
  const scope = await posting(tokenFor('ada'), {});
  const keep = async (letters: string) => interruptedPostCookie(scope, [['body', letters]]);
  const size = async (length: number, letter: string) => (await keep(letter.repeat(length)))?.length ?? null;
  for (const letter of ['x', 'é', '字']) {
    let [fits, fails] = [1, 4_000];
    expect([await size(fits, letter), await size(fails, letter)]).toEqual([expect.any(Number), null]);
    while (fails - fits > 1) {
      const between = Math.floor((fits + fails) / 2);
      if ((await size(between, letter)) === null) fails = between;
      else fits = between;
    }
    // One more three-byte letter makes the cookie at most a dozen characters longer.
    expect(await size(fits, letter)).toBeGreaterThan(2_980);
    expect(await size(fits, letter)).toBeLessThanOrEqual(3_000);
    const cookie = pairOf((await keep(letter.repeat(fits))) ?? '');
    const kept = await keptFor('ada', '/user/settings', cookie);
    expect(kept).toEqual([['body', letter.repeat(fits)]]);
  }
});

test('without a session, which has no owner, nothing is stored', async () => {
  const request = new Request('http://localhost/user/settings', {
    method: 'POST',
    body: new URLSearchParams({ firstName: 'Ada' }),
  });
  expect(keptPostOf(await endSession(await scopeOf(request)))).toBeUndefined();
});

test('a restored post is removed from the browser', async () => {
  const cleared = await clearedInterruptedPostCookie();
  expect(cleared).toMatch(/^unsent=[^;]*; Max-Age=0;/);
  expect(await keptFor('ada', '/user/settings', pairOf(cleared))).toBeNull();
});

test('a broken session has no owner, and nothing is stored', async () => {
  const request = new Request('http://localhost/user/settings', { headers: { cookie: 'session=nonsense' } });
  expect(await interruptedPostCookie(await scopeOf(request), [['firstName', 'Ada']])).toBeNull();
});
