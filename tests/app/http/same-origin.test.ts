import { expect, test } from 'vitest';
import { requireSameOrigin } from '~/http/guards.server';

const isRefused = (headers: Record<string, string>) => {
  const request = new Request('https://site.example/theme', { method: 'POST', headers });
  try {
    requireSameOrigin(request);
    return false;
  } catch (thrown) {
    expect(thrown).toMatchObject({ init: { status: 403 } });
    return true;
  }
};

test.each<Record<string, string>>([
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'same-origin', origin: 'null' },
  // Behind a proxy that ends TLS, the website itself is addressed over plain HTTP.
  { origin: 'http://site.example' },
  { origin: 'https://site.example' },
  {},
])('a POST of this site with %o is accepted', (headers) => {
  expect(isRefused(headers)).toBe(false);
});

test.each<Record<string, string>>([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://site.example' },
  { origin: 'https://other.example' },
  { origin: 'https://sub.site.example' },
  { origin: 'https://site.example:8443' },
  { origin: 'null' },
])('a POST of another site with %o is refused', (headers) => {
  expect(isRefused(headers)).toBe(true);
});
