import { expect, test } from 'vitest';
import { scopeOf } from '../../support/scope';

const getLocale = async (request: Request) => (await scopeOf(request)).locale;

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

test('the browser’s languages are tried in their order, and in any spelling', async () => {
  const localeFor = (languages: string) => getLocale(request('/', { 'accept-language': languages }));
  expect(await localeFor('pt-PT,pt;q=0.9,de;q=0.8')).toBe('de');
  expect(await localeFor('fr;q=0.2, es_MX;q=0.9')).toBe('es');
  expect(await localeFor('de;q=0, *')).toBe('gb');
});

test('a language cookie planted by another host does not override the one chosen here', async () => {
  const cookie = 'lng=de; __Host-lng=it';
  expect(await getLocale(new Request('https://site.example/', { headers: { cookie } }))).toBe('it');
});
