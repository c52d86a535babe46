import { expect, test } from 'vitest';
import { createCountedTokens } from '#host/visits/receive/counted-tokens';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const mark = createCountedTokens([
  'the newer secret of this host, for sure',
  'the older secret of this host, for sure',
]);

test('a token is valid for its code and source, for two minutes', () => {
  const signed = mark.sign('7K3M9QXD', 'scan', NOW);
  expect(mark.isValid(signed, '7K3M9QXD', 'scan', NOW)).toBe(true);
  expect(mark.isValid(signed, '7K3M9QXD', 'scan', after(119))).toBe(true);
  expect(mark.isValid(signed, '7K3M9QXD', 'scan', after(120))).toBe(false);
  expect(mark.isValid(signed, '7K3M9QXD', 'click', NOW)).toBe(false);
  expect(mark.isValid(signed, '00000000', 'scan', NOW)).toBe(false);
});

test('a token with a later expiry than the signed one is refused', () => {
  const signed = mark.sign('7K3M9QXD', 'scan', NOW);
  const longer = signed.replace(/^\d+/, (expiry) => String(Number(expiry) + 60));
  expect(mark.isValid(longer, '7K3M9QXD', 'scan', NOW)).toBe(false);
});

test('a token signed with the previous secret is still valid', () => {
  const older = createCountedTokens(['the older secret of this host, for sure']);
  expect(mark.isValid(older.sign('7K3M9QXD', 'scan', NOW), '7K3M9QXD', 'scan', NOW)).toBe(true);
});

test('a token signed with another secret is not valid', () => {
  const foreign = createCountedTokens(['a secret nobody here has ever heard of']);
  expect(mark.isValid(foreign.sign('7K3M9QXD', 'scan', NOW), '7K3M9QXD', 'scan', NOW)).toBe(false);
});

test.each([
  '',
  '.',
  '1',
  'x.y',
  `${'9'.repeat(12)}.short`,
  `99999999999.${'A'.repeat(43)}`,
  '9'.repeat(5000),
])('a malformed token is not valid: %s', (text) => {
  expect(mark.isValid(text, '7K3M9QXD', 'scan', NOW)).toBe(false);
});
