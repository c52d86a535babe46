import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safePath } from '~/http/safe-path';

test('keeps a path of this site with its query and fragment', () => {
  expect(safePath('/user/qrcodes?page=2#list')).toBe('/user/qrcodes?page=2#list');
  const longest = `/${'a'.repeat(1999)}`;
  expect([safePath(longest), safePath(`${longest}a`)]).toEqual([longest, '/']);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '\\/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  'javascript:alert(1)',
  '/\n/evil.example',
  '',
  null,
  42,
  `/${'a'.repeat(3000)}`,
])('refuses %j', (target) => {
  expect(safePath(target, '/fallback')).toBe('/fallback');
});

test('a browser stays on this site for any input', () => {
  const part = fc.constantFrom(
    '/',
    '\\',
    '//',
    '.',
    '..',
    '@',
    ':',
    'evil.example',
    '\t',
    '%2f',
    '?',
    '#',
    'a',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const url = new URL(safePath(parts.join('')), 'https://site.example');
      expect(url.origin).toBe('https://site.example');
    }),
  );
});
