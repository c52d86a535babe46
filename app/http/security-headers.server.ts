import { isLoopbackAddress } from '#contract/own-addresses';
import { env } from './env.server';

// Google's list for a policy without nonces on its scripts: https://developers.google.com/recaptcha/docs/faq
const CAPTCHA_SCRIPTS = 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/';
const CAPTCHA_FRAMES = 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/';
const captchaSources = env.CAPTCHA_SITE_KEY
  ? {
      scripts: ` ${CAPTCHA_SCRIPTS}`,
      connections: ' https://www.google.com/recaptcha/',
      frames: CAPTCHA_FRAMES,
    }
  : { scripts: '', connections: '', frames: "'none'" };

// https://developers.google.com/tag-platform/security/guides/csp, without advertising.
const ANALYTICS = 'https://www.googletagmanager.com https://*.google-analytics.com';
const analyticsSources = env.ANALYTICS_ID
  ? {
      scripts: ` https://www.googletagmanager.com ${new URL(env.ANALYTICS_SCRIPT_URL).origin}`,
      images: ` ${ANALYTICS}`,
      connections: ` ${ANALYTICS} https://*.analytics.google.com`,
    }
  : { scripts: '', images: '', connections: '' };

// `form-action` also covers the redirect after a POST (CSP level 3, navigation checks): orders and the
// billing portal redirect to the provider's pages, which the host serves for the sandbox. Browsers elsewhere
// would find a program of their own machine at the host's loopback address.
const isHostReachable = isLoopbackAddress(env.PUBLIC_URL) || !isLoopbackAddress(env.HOST_PUBLIC_URL);
const PAYMENT_PAGES = [
  ...(isHostReachable ? [new URL(env.HOST_PUBLIC_URL).origin] : []),
  'https://checkout.stripe.com',
  'https://billing.stripe.com',
].join(' ');
// The login form leads there, too.
const googlePages = env.GOOGLE_CLIENT_ID ? ` ${new URL(env.GOOGLE_ISSUER).origin}` : '';

/**
 * Pages of an account, which nobody may read with the Back button once its session has ended. Those with a
 * long form are excluded, as `no-store` makes browsers forget what was typed; like the order form of visitors
 * they may be stored for Back, and are revalidated otherwise.
 */
const NO_STORE_PATHS = /^\/user\/(?!settings\/addresses\/|subscription\/order\/)/i;

/** Headers of every HTML page; no CSP in development, which has inline styles and updates over a socket. */
export function setPageHeaders(
  headers: Headers,
  nonce: string,
  { method, path }: { method: string; path: string },
): void {
  headers.set('Content-Type', 'text/html; charset=utf-8');
  if (import.meta.env.PROD) headers.set('Content-Security-Policy', contentSecurityPolicy(nonce));
  if (!headers.has('Referrer-Policy')) headers.set('Referrer-Policy', 'strict-origin-when-cross-origin');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Permissions-Policy', 'geolocation=(), camera=(), microphone=(), payment=()');
  // The response to a POST is stored only for Back, which would offer to resubmit it after a new cookie.
  const isPublicPost = method === 'POST' && !/^\/user\//i.test(path);
  headers.set('Vary', isPublicPost ? 'Accept-Language' : 'Cookie, Accept-Language');
  if (!headers.has('Cache-Control')) {
    headers.set('Cache-Control', NO_STORE_PATHS.test(path) ? 'private, no-store' : 'private, no-cache');
  }
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${captchaSources.scripts}${analyticsSources.scripts}`,
    "style-src 'self'",
    // data: for a logo inside a drawn code, blob: for one that was chosen but not yet uploaded.
    `img-src 'self' data: blob:${analyticsSources.images}`,
    "font-src 'self'",
    `connect-src 'self'${captchaSources.connections}${analyticsSources.connections}`,
    `frame-src ${captchaSources.frames}`,
    "manifest-src 'self'",
    `form-action 'self' ${PAYMENT_PAGES}${googlePages}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
  ].join('; ');
}
