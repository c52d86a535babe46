import { afterEach, expect, test, vi } from 'vitest';
import { setPageHeaders } from '~/http/security-headers.server';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The CSP directives of a page served by a website with these settings. */
async function policyWith(settings: Record<string, string> = {}): Promise<Record<string, string[]>> {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  vi.stubEnv('PROD', true);
  vi.resetModules();
  const served = await import('~/http/security-headers.server');
  const headers = new Headers();
  served.setPageHeaders(headers, 'bm9uY2U=', { method: 'GET', path: '/' });
  const directives = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(directives.map((text) => [text.split(' ')[0], text.split(' ').slice(1)]));
}

test('a page runs only its own scripts, cannot be framed and cannot change its base', async () => {
  const { 'form-action': forms, ...policy } = await policyWith();
  expect(policy).toEqual({
    'default-src': ["'none'"],
    'script-src': ["'self'", "'nonce-bm9uY2U='"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'frame-src': ["'none'"],
    'manifest-src': ["'self'"],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
  });
  expect(forms).toEqual([
    "'self'",
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    'https://checkout.stripe.com',
    'https://billing.stripe.com',
  ]);
});

test.each([
  ['https://codes.example', undefined, null],
  ['https://codes.example', 'http://127.0.0.1:4000', null],
  ['https://codes.example', 'https://pay.example', 'https://pay.example'],
  ['http://localhost:3000', 'http://127.0.0.1:4100', 'http://127.0.0.1:4100'],
])(
  'the website at %s may send forms to a host at %s only where a browser can reach it',
  async (...settings) => {
    const [publicUrl, hostUrl, expected] = settings;
    const { 'form-action': forms } = await policyWith({
      PUBLIC_URL: publicUrl,
      SESSION_SECRET: 'a session secret of the tests only',
      INTERNAL_SECRET: 'a secret between the programs of the tests',

      ...(hostUrl && { HOST_PUBLIC_URL: hostUrl }),
    });
    expect(forms).toEqual([
      "'self'",
      ...(expected ? [expected] : []),
      'https://checkout.stripe.com',
      'https://billing.stripe.com',
    ]);
  },
);

test('a captcha and the analytics tag add only their own origins to the policy', async () => {
  const policy = await policyWith({ CAPTCHA_SITE_KEY: 'a-site-key', ANALYTICS_ID: 'G-ABC123' });
  expect(policy).toMatchObject({
    'default-src': ["'none'"],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'style-src': ["'self'"],
  });
  expect(policy['script-src']?.slice(0, 2)).toEqual(["'self'", "'nonce-bm9uY2U='"]);
  const added = Object.values(policy)
    .flat()
    .filter((source) => !source.startsWith('https://'));
  expect(added.join(' ')).not.toMatch(/unsafe|strict-dynamic|\*|http:\/\/(?!127)/);
  for (const source of policy['script-src']?.slice(2) ?? []) {
    expect(source).toMatch(/^https:\/\/www\.(?:google|gstatic|googletagmanager)\.com(?:\/recaptcha\/)?$/);
  }
});

test.each([
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Permissions-Policy', 'geolocation=(), camera=(), microphone=(), payment=()'],
  ['Content-Type', 'text/html; charset=utf-8'],
])('every page has %s: %s', (name, value) => {
  const headers = new Headers();
  setPageHeaders(headers, 'nonce', { method: 'GET', path: '/faq' });
  expect(headers.get(name)).toBe(value);
});

test.each([
  ['GET', '/faq', 'Cookie, Accept-Language'],
  ['POST', '/contact', 'Accept-Language'],
  ['POST', '/user/settings', 'Cookie, Accept-Language'],
  ['POST', '/USER/qrcodes', 'Cookie, Accept-Language'],
])('the response to %s %s varies by %s', (method, path, vary) => {
  const headers = new Headers();
  setPageHeaders(headers, 'nonce', { method, path });
  expect(headers.get('vary')).toBe(vary);
});

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
  '/User/QRCODES',
  '/user/qrcodes/7',
  '/user/analytics',
])('%s is not stored, so that Back does not show it after the session', (path) => {
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
])('a browser may store %s with its input, but revalidates it before showing it again', (path) => {
  expect(keptBy(path)).toBe('private, no-cache');
});

test('a header set by a page itself is kept', () => {
  expect(keptBy('/payment-success', { 'Cache-Control': 'no-store' })).toBe('no-store');
  const headers = new Headers({ 'Referrer-Policy': 'no-referrer' });
  setPageHeaders(headers, 'nonce', { method: 'GET', path: '/faq' });
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('in development a page has no policy, which would forbid inline styles', () => {
  const headers = new Headers();
  setPageHeaders(headers, 'nonce', { method: 'GET', path: '/faq' });
  expect(headers.has('content-security-policy')).toBe(false);
});
