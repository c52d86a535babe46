import { decodeJwt, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { signToken, verifyToken } from '#host/sessions/tokens';

const SECRET = 'a secret of the tests that is long enough';
const NOW = new Date('2026-12-01T10:00:00Z');
const IDS = { accountId: 'an account', sessionId: 'a session' };

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

test('tokens from before they had an audience stay valid', async () => {
  const old = await tokenWith({ iss: 'quadrille' }, new Date('2026-11-20T10:00:00Z'));
  expect(await verifyToken(old, [SECRET], NOW)).toEqual(IDS);
});
