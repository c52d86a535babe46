import { expect, test } from 'vitest';
import { findTheme, readTheme } from '~/http/theme.server';

const themeOf = (cookie?: string) =>
  readTheme(new Request('http://localhost/', { headers: cookie === undefined ? {} : { cookie } }));

test('a page has the chosen theme, or that of the system', () => {
  expect([themeOf('theme=dark'), themeOf('lng=fr; theme=light')]).toEqual(['dark', 'light']);
  expect([themeOf(), themeOf('theme=pink'), themeOf('lng=dark')]).toEqual(['system', 'system', 'system']);
});

test.each(['pink', '', null, undefined, new File([], 'dark')])('%j is not a theme', (name) => {
  expect(findTheme(name)).toBeNull();
});
