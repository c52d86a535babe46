import { expect, test } from 'vitest';
import { makeKey } from '#contract/api-keys';
import { readOrigin } from '#contract/urls';

test.each([
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['HTTPS://Shop.Example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://192.0.2.1', 'https://192.0.2.1'],
  ['http://localhost:5173', 'http://localhost:5173'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
])('%s is the origin %s', (entered, origin) => expect(readOrigin(entered)).toEqual({ origin }));

test.each([
  ['*', 'key_origin_unnamed'],
  ['https://*.shop.example', 'key_origin_unnamed'],
  ['null', 'key_origin_unnamed'],
  ['https://shop.example/menu', 'key_origin_path'],
  ['https://shop.example//', 'key_origin_path'],
  ['https://shop.example?', 'key_origin_path'],
  ['https://shop.example/#', 'key_origin_path'],
  ['http://localhost:5173/a', 'key_origin_path'],
  ['', 'key_origin_invalid'],
  ['shop.example', 'key_origin_invalid'],
  ['http://shop.example', 'key_origin_invalid'],
  ['http://localhost', 'key_origin_invalid'],
  ['http://localhost:80', 'key_origin_invalid'],
  ['http://localhost.shop.example:80', 'key_origin_invalid'],
  ['ftp://localhost:21', 'key_origin_invalid'],
  ['https://user@shop.example', 'key_origin_invalid'],
  ['https://:secret@shop.example', 'key_origin_invalid'],
  ['https://', 'key_origin_invalid'],
  ['javascript:alert(1)', 'key_origin_invalid'],
  ['file:///home', 'key_origin_invalid'],
])('%s is refused', (entered, refused) => expect(readOrigin(entered)).toEqual({ refused }));

const { origins } = makeKey.body.shape;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `https://shop${n}.example`);

test('a key has at most 10 origins, each once', () => {
  expect(origins.parse(undefined)).toEqual([]);
  expect(origins.parse([' https://a.example/ ', 'https://A.example'])).toEqual(['https://a.example']);
  expect(origins.parse(numbered(10))).toEqual(numbered(10));
  expect(origins.safeParse(numbered(11)).error?.issues).toMatchObject([{ message: 'key_origins_too_many' }]);
});

test('an origin has at most 300 characters', () => {
  const label = 'a'.repeat(60);
  const name = (more: number) => `https://${label}.${label}.${label}.${label}.${'b'.repeat(48 + more)}`;
  expect(name(0)).toHaveLength(300);
  expect(origins.parse([name(0)])).toEqual([name(0)]);
  expect(origins.safeParse([name(1)]).error?.issues).toMatchObject([{ message: 'key_origin_invalid' }]);
});
