import { expect, test } from 'vitest';
import { base32, findTimeStep, otpauthUri, timeStepAt, totpCode } from '#host/sign-in/totp';

const SECRET = Buffer.from('12345678901234567890');

// RFC 6238, appendix B, the rows for SHA-1.
test.each([
  ['1970-01-01T00:00:59Z', '94287082'],
  ['2005-03-18T01:58:29Z', '07081804'],
  ['2005-03-18T01:58:31Z', '14050471'],
  ['2009-02-13T23:31:30Z', '89005924'],
  ['2033-05-18T03:33:20Z', '69279037'],
  ['2603-10-11T11:33:20Z', '65353130'],
])('the code of %s is the one in the RFC', (at, code) => {
  const step = timeStepAt(new Date(at));
  expect(totpCode(SECRET, step, 8)).toBe(code);
  expect(totpCode(SECRET, step)).toBe(code.slice(2));
});

// RFC 4226, appendix D.
test('the codes of the first ten counters are the ones in the RFC', () => {
  expect(Array.from({ length: 10 }, (_, counter) => totpCode(SECRET, counter))).toEqual([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ]);
});

test('a code is valid in its own time step, the one before and the one after', () => {
  const now = new Date('2026-03-02T10:00:15Z');
  const step = timeStepAt(now);
  const found = [-2, -1, 0, 1, 2].map((skew) => findTimeStep(SECRET, totpCode(SECRET, step + skew), now));
  expect(found).toEqual([null, step - 1, step, step + 1, null]);
  expect(findTimeStep(SECRET, '', now)).toBe(null);
});

// RFC 4648, section 10, without the padding.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of “%s”', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test('names and e-mail addresses are escaped in the otpauth URI', () => {
  expect(otpauthUri('ABC', { appName: 'A & B?', email: 'a+b&c=d@x.example' })).toBe(
    'otpauth://totp/A%20%26%20B%3F:a%2Bb%26c%3Dd%40x.example?secret=ABC&issuer=A%20%26%20B%3F',
  );
});
