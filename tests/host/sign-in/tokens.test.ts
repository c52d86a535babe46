import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { signToken, verifyToken } from '#host/sign-in/tokens';

const SECRET = 'a secret of the tests that is long enough';
const NOW = new Date('2026-12-01T10:00:00Z');
const IDS = { accountId: 'an account', sessionId: 'a session' };
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

function tokenWith(claims: Record<string, string>, now = NOW): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(IDS.accountId)
    .setJti(IDS.sessionId)
    .setIssuedAt(Math.floor(now.getTime() / 1000))
    .setExpirationTime('60d')
    .sign(new TextEncoder().encode(SECRET));
}

test('a token has an issuer and an audience', async () => {
  const content = { ...IDS, email: 'a@b.example', roles: [], expiresAt: new Date(NOW.getTime() + 3_600_000) };
  const token = await signToken(content, [SECRET], NOW);
  expect(decodeJwt(token)).toMatchObject({ iss: 'quadrille', aud: 'quadrille-host' });
  expect(await verifyToken(token, [SECRET], NOW)).toEqual(IDS);
});

test.each([
  ['of another audience', { iss: 'quadrille', aud: 'another' }],
  ['without an audience', { iss: 'quadrille' }],
  ['of another issuer', { iss: 'another', aud: 'quadrille-host' }],
  ['without an issuer', { aud: 'quadrille-host' }],
])('a token %s signs nobody in', async (_, claims) => {
  expect(await verifyToken(await tokenWith(claims as Record<string, string>), [SECRET], NOW)).toBeNull();
});

test('a token says who signed in and when it expires, and is refused from then on', async () => {
  const content = { ...IDS, email: 'a@b.example', roles: ['ROLE_USER'], expiresAt: later(3600) };
  const token = await signToken(content, [SECRET, 'a newer secret'], NOW);
  const seconds = NOW.getTime() / 1000;
  expect(decodeJwt(token)).toMatchObject({
    email: 'a@b.example',
    roles: ['ROLE_USER'],
    iat: seconds,
    exp: seconds + 3600,
  });
  expect(await verifyToken(token, ['an older secret', SECRET], later(3599))).toEqual(IDS);
  expect(await verifyToken(token, [SECRET], later(3600))).toBeNull();
  expect(await verifyToken(token, ['an older secret'], NOW)).toBeNull();
});

test.each(['exp', 'sub', 'jti', 'iat'])('a token without %s signs nobody in', async (claim) => {
  const seconds = NOW.getTime() / 1000;
  const claims = { sub: IDS.accountId, jti: IDS.sessionId, iat: seconds, exp: seconds + 3600 };
  const sign = (payload: JWTPayload) =>
    new SignJWT({ ...payload, iss: 'quadrille', aud: 'quadrille-host' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(SECRET));
  expect(await verifyToken(await sign(claims), [SECRET], NOW)).toEqual(IDS);
  expect(await verifyToken(await sign({ ...claims, [claim]: undefined }), [SECRET], NOW)).toBeNull();
});

test('a token without an audience signs nobody in, however early it was issued', async () => {
  const early = await tokenWith({ iss: 'quadrille' }, new Date('2026-11-20T10:00:00Z'));
  expect(await verifyToken(early, [SECRET], NOW)).toBeNull();
});
