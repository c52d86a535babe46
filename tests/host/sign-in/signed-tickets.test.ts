import { hkdfSync } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import {
  passwordDigest,
  readLinkTicket,
  signChallenge,
  signLinkTicket,
  verifyChallenge,
} from '#host/sign-in/signed-tickets';

const SECRET = 'a secret of the tests that is long enough';
const OTHER = 'another secret of the tests, as long';
const NOW = new Date('2026-12-01T10:00:00Z');
const IDENTITY = { issuer: 'https://accounts.google.com', subject: '7', email: 'ada@test.example' };
const CHALLENGE = {
  accountId: 'ada',
  password: 'a mark',
  method: 'google' as const,
  remember: true,
  link: IDENTITY,
} as const;
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

interface Written {
  audience: string;
  purpose: string;
  claims: JWTPayload;
  life?: number;
  secret?: string;
  algorithm?: string;
}

/** A ticket in the original format: tickets in use must stay valid across a release. */
function written({ audience, purpose, claims, life, secret = SECRET, algorithm = 'HS256' }: Written) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const seconds = NOW.getTime() / 1000;
  const ticket = new SignJWT(claims).setProtectedHeader({ alg: algorithm }).setAudience(audience);
  ticket.setIssuedAt(seconds);
  return (life === undefined ? ticket : ticket.setExpirationTime(seconds + life)).sign(key);
}

const SIGN_IN = { audience: 'second-factor', purpose: 'quadrille: sign-ins under way', life: 300 };
const LINK = { audience: 'identity-link', purpose: 'quadrille: identities to be linked', life: 600 };
const { accountId: sub, ...claims } = CHALLENGE;
const signInOf = (fields: Partial<Written> = {}) =>
  written({ ...SIGN_IN, claims: { ...claims, sub, jti: 'one' }, ...fields });
const linkOf = (fields: Partial<Written> = {}) =>
  written({ ...LINK, claims: { ...IDENTITY, sub: 'ada' }, ...fields });

test('tickets issued before a release are still valid', async () => {
  expect(await verifyChallenge(await signInOf(), [SECRET], NOW)).toEqual({ ...CHALLENGE, id: 'one' });
  expect(await readLinkTicket(await linkOf(), 'ada', [SECRET], NOW)).toEqual(IDENTITY);
});

test('a pending sign-in is valid for five minutes, each with its own id', async () => {
  const [first, second] = [
    await signChallenge(CHALLENGE, [SECRET], NOW),
    await signChallenge(CHALLENGE, [SECRET], NOW),
  ];
  const found = await verifyChallenge(first, [OTHER, SECRET], later(299));
  expect(found).toEqual({ ...CHALLENGE, id: expect.stringMatching(/^[\da-f-]{36}$/) });
  expect((await verifyChallenge(second, [SECRET], NOW))?.id).not.toBe(found?.id);
  expect(await verifyChallenge(first, [SECRET], later(300))).toBeNull();
  expect(await verifyChallenge(first, [OTHER], NOW)).toBeNull();
});

test('an identity can be linked for ten minutes, only to the account it was found for', async () => {
  const ticket = await signLinkTicket('ada', IDENTITY, [SECRET], NOW);
  expect(await readLinkTicket(ticket, 'ada', [OTHER, SECRET], later(599))).toEqual(IDENTITY);
  expect(await readLinkTicket(ticket, 'bob', [SECRET], NOW)).toBeUndefined();
  expect(await readLinkTicket(ticket, 'ada', [SECRET], later(600))).toBeUndefined();
  expect(await readLinkTicket(ticket, 'ada', [OTHER], NOW)).toBeUndefined();
});

test('a new password, or the first one, ends sign-ins under way', () => {
  const digests = ['one hash', 'another hash', null].map(passwordDigest);
  expect(new Set(digests).size).toBe(3);
  expect(passwordDigest('one hash')).toBe(digests[0]);
  expect(digests[0]).toMatch(/^[\w-]{16}$/);
});

test('the first of the secrets signs', async () => {
  const challenge = await signChallenge(CHALLENGE, [SECRET, OTHER], NOW);
  const link = await signLinkTicket('ada', IDENTITY, [SECRET, OTHER], NOW);
  expect(await verifyChallenge(challenge, [SECRET], NOW)).not.toBeNull();
  expect(await readLinkTicket(link, 'ada', [SECRET], NOW)).toBeDefined();
});

test.each([
  ['of the other kind', () => linkOf()],
  ['with the other audience', () => signInOf({ audience: LINK.audience })],
  ['with the key of the other kind', () => signInOf({ purpose: LINK.purpose })],
  ['of another secret', () => signInOf({ secret: OTHER })],
  ['by another algorithm', () => signInOf({ algorithm: 'HS512' })],
  ['without an expiry', () => signInOf({ life: undefined as never })],
  ['without an account', () => signInOf({ claims: { ...claims, jti: 'one' } })],
  ['without an id', () => signInOf({ claims: { ...claims, sub } })],
  ['without the other claims', () => signInOf({ claims: { sub, jti: 'one' } })],
])('a ticket %s is no pending sign-in', async (_, write) => {
  expect(await verifyChallenge(await write(), [SECRET], NOW)).toBeNull();
});

test.each([
  ['of the other kind', () => signInOf()],
  ['with the other audience', () => linkOf({ audience: SIGN_IN.audience })],
  ['with the key of the other kind', () => linkOf({ purpose: SIGN_IN.purpose })],
  ['without an expiry', () => linkOf({ life: undefined as never })],
  ['without an account', () => linkOf({ claims: IDENTITY })],
  ['without an identity', () => linkOf({ claims: { sub } })],
])('a ticket %s links nothing', async (_, write) => {
  const ticket = await write();
  expect(await readLinkTicket(ticket, 'ada', [SECRET], NOW)).toBeUndefined();
  expect(await readLinkTicket(ticket, '', [SECRET], NOW)).toBeUndefined();
});

test.each(['', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])('%j is not a ticket', async (text) => {
  expect(await verifyChallenge(text, [SECRET], NOW)).toBeNull();
  expect(await readLinkTicket(text, 'ada', [SECRET], NOW)).toBeUndefined();
});
