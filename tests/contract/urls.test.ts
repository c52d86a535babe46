import { expect, test } from 'vitest';
import { parseUrl } from '#contract/urls';

test('names beyond ASCII are read however often', () => {
  // `URL.canParse` of Node.js 20 refuses them from about the five thousandth call on.
  for (let times = 0; times < 50_000; times += 1)
    if (!parseUrl('https://bücher.example/')) throw new Error(`refused after ${times} times`);
  expect(parseUrl('/a', 'https://bücher.example/')?.hostname).toBe('xn--bcher-kva.example');
});

test.each(['', 'bücher.example', 'https://', 'https://a b/'])('%j is no URL', (text) => {
  expect(parseUrl(text)).toBeNull();
});
