import { expect, test } from 'vitest';
import { acceptedLanguages, acceptedLocale, currentLanguage } from '#runtime/accept-language';

test.each([
  ['fr-FR,fr;q=0.9,en;q=0.8', ['fr', 'en']],
  ['en;q=0.5, de;q=0.9', ['de', 'en']],
  ['de;q=0.8, fr;q=0.8', ['de', 'fr']],
  ['it;q=0.5, fr;q=0.8, es;q=0.8', ['fr', 'es', 'it']],
  ['EN', ['en']],
  ['en_US', ['en']],
  ['en_US.UTF-8', ['en']],
  ['zh-Hant-TW, zh-Hans', ['zh']],
  ['sr_Latn_RS', ['sr']],
  ['es-419', ['es']],
  ['fil-PH,fil;q=0.9,en;q=0.8', ['fil', 'en']],
  ['deu-AT', ['de']],
  ['*', []],
  ['*, fr;q=0.5', ['fr']],
  ['de;q=0, it', ['it']],
  ['de;q=0.000', []],
  ['de;q=0.001', ['de']],
  ['de;q=1.000', ['de']],
  ['de;q=1.001', []],
  ['de;q=1.0.0', []],
  ['en;q=nonsense, de', ['de']],
  ['en;q=, de', ['de']],
  ['en;q=-1, de', ['de']],
  ['en;level=1;q=0.4, it ; Q = 0.5', ['it', 'en']],
  [' ,, ;q=1,fr', ['fr']],
  ["en'; drop table visits", []],
  ['x-custom, i-klingon, c', []],
  ['und, mul, fr', ['fr']],
  ['qq, qqq', []],
  ['', []],
])('Accept-Language %j asks for %j', (header, languages) => {
  expect(acceptedLanguages(header)).toEqual(languages);
});

test('a header of a thousand characters is read, a longer one is not', () => {
  const header = `de${' '.repeat(998)}`;
  expect(header).toHaveLength(1_000);
  expect(acceptedLanguages(header)).toEqual(['de']);
  expect(acceptedLanguages(`${header} `)).toEqual([]);
});

test.each([
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['jw', 'jv'],
  ['mo', 'ro'],
  ['no', 'nb'],
  ['nb', 'nb'],
  ['nn', 'nn'],
  ['tl', 'fil'],
  ['heb', 'he'],
  ['cmn', 'zh'],
  ['de', 'de'],
  ['', ''],
  ['DE', ''],
  ['german', ''],
  ['toString', ''],
])('the current code of the language %j is %j', (code, current) => {
  // Asked twice: the second answer comes from memory.
  expect([currentLanguage(code), currentLanguage(code)]).toEqual([current, current]);
});

test.each([
  ['pt-PT,pt;q=0.9,de;q=0.8', 'de'],
  ['en-US,en;q=0.5', 'gb'],
  ['fr;q=0.2,es;q=0.9', 'es'],
  ['de;q=0,it', 'it'],
  ['de_AT', 'de'],
  ['eng', 'gb'],
  ['gb', null],
  ['zh-Hant-TW', null],
  ['', null],
  [undefined, null],
  [`${'x,'.repeat(5000)}de`, null],
])('of the languages of the product, Accept-Language %j selects %j', (header, locale) => {
  expect(acceptedLocale(header)).toBe(locale);
});
