import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderReader } from './client-address';

/**
 * Whether a page of `host` caused a request: browsers name its site in Sec-Fetch-Site, older ones its origin in Origin,
 * programs neither.
 */
export function isSameOrigin(header: HeaderReader, host: string | undefined, others: string[] = []): boolean {
  const site = header('sec-fetch-site');
  if (site) return ['same-origin', 'none', ...others].includes(site);
  const origin = header('origin') ?? undefined;
  return origin === undefined || isOriginOf(origin, host);
}

/** Over HTTP or HTTPS: behind a proxy that ends TLS, a program itself is called without. */
export function isOriginOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** The host that the browser called, as the proxy says, else as the request. */
export function calledHost(headers: IncomingHttpHeaders): string | undefined {
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',')[0];
  return forwarded?.trim() || headers.host;
}
