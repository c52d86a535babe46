import { data } from '@remix-run/node';

/**
 * Refuses a cross-site POST with 403. The framework checks this for pages; a route without a page
 * has to do it itself. Browsers name the site in Sec-Fetch-Site, older ones in Origin.
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOwn = site
    ? site === 'same-origin' || site === 'none'
    : origin === null || (URL.canParse(origin) && new URL(origin).host === new URL(request.url).host);
  if (!isOwn) throw data(null, { status: 403 });
}
