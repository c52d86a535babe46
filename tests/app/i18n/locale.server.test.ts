import { expect, test } from 'vitest';
import { browserLocale, getLocale } from '~/i18n/locale.server';

const request = (url: string, headers: Record<string, string> = {}) =>
  new Request(`http://localhost${url}`, { headers });

test('the URL takes precedence, then the saved choice, then the browser, then English', async () => {
  const headers = { cookie: 'theme=dark; lng=de', 'accept-language': 'it' };
  expect(await getLocale(request('/?lng=es', headers))).toBe('es');
  expect(await getLocale(request('/', headers))).toBe('de');
  expect(await getLocale(request('/', { 'accept-language': 'it-CH' }))).toBe('it');
  expect(await getLocale(request('/', { 'accept-language': 'pt' }))).toBe('gb');
  expect(await getLocale(request('/'))).toBe('gb');
});

test('an unknown choice is ignored', async () => {
  const headers = { cookie: 'lng=xx', 'accept-language': 'fr' };
  expect(await getLocale(request('/?lng=constructor', headers))).toBe('fr');
});

test.each([
  ['pt-PT,pt;q=0.9,de;q=0.8', 'de'],
  ['en-US,en;q=0.5', 'gb'],
  ['fr;q=0.2,es;q=0.9', 'es'],
  ['de;q=0,it', 'it'],
  ['zh-Hant-TW', null],
  ['', null],
  [`${'x,'.repeat(5000)}de`, null],
])('Accept-Language %j selects %j', (header, locale) => {
  expect(browserLocale(header)).toBe(locale);
});

test('a language cookie planted by another host does not override the one chosen here', async () => {
  const cookie = 'lng=de; __Host-lng=it';
  expect(await getLocale(new Request('https://site.example/', { headers: { cookie } }))).toBe('it');
});
