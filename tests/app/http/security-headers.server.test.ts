import { expect, test } from 'vitest';
import { setPageHeaders } from '~/http/security-headers.server';

function keptBy(path: string, own: HeadersInit = {}): string | null {
  const headers = new Headers(own);
  setPageHeaders(headers, 'nonce', { method: 'GET', path });
  return headers.get('cache-control');
}

test.each([
  '/user/dashboard',
  '/user/subscription',
  '/user/subscription/cancel',
  '/user/settings',
  '/user/qrcodes',
  '/user/qrcodes/7',
  '/user/analytics',
])('nobody keeps %s, so that the button Back does not show it after the session', (path) => {
  expect(keptBy(path)).toBe('private, no-store');
});

test.each([
  '/',
  '/create',
  '/contact',
  '/subscribe/basic_monthly',
  '/user/subscription/order/basic_monthly',
  '/user/settings/addresses/new',
  '/user/settings/addresses/7',
])('a browser may keep %s with what was typed into it, and asks before it shows it anew', (path) => {
  expect(keptBy(path)).toBe('private, no-cache');
});

test('what a page says itself counts', () => {
  expect(keptBy('/payment-success', { 'Cache-Control': 'no-store' })).toBe('no-store');
});
