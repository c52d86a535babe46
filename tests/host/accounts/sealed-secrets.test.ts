import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from '#host/accounts/sealed-secrets';

const [OLD, NEW] = ['an old secret, long enough for all', 'a new secret, long enough for all'];
const SECRET = Buffer.from('12345678901234567890');
const random = (bytes: number) => randomBytes(bytes);

test('a sealed text opens with the same secret and reveals nothing otherwise', () => {
  const sealed = seal(SECRET, 'ada', { secrets: [OLD], random });
  expect(Buffer.from(sealed, 'base64url').includes(SECRET)).toBe(false);
  expect(seal(SECRET, 'ada', { secrets: [OLD], random })).not.toBe(sealed);
  expect(unseal(sealed, 'ada', [OLD])).toEqual({ plain: SECRET, isCurrent: true });
});

test('after a rotation it opens as long as the old secret is listed', () => {
  const sealed = seal(SECRET, 'ada', { secrets: [OLD], random });
  expect(unseal(sealed, 'ada', [NEW, OLD])).toEqual({ plain: SECRET, isCurrent: false });
  expect(() => unseal(sealed, 'ada', [NEW])).toThrow('JWT_SECRET');
});

test('it opens neither for another account nor after tampering', () => {
  const sealed = seal(SECRET, 'ada', { secrets: [OLD], random });
  expect(() => unseal(sealed, 'mallory', [OLD])).toThrow();
  for (const place of [0, 15, 30]) {
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    expect(() => unseal(bytes.toString('base64url'), 'ada', [OLD])).toThrow();
  }
  expect(() => unseal('', 'ada', [OLD])).toThrow();
});
