import { data } from '@remix-run/node';
import { HostError } from './host-error.server';
import type { Scope } from './scope.server';

/** For pages with a token in their URL: it is not sent to other sites, and the page is not cached. */
export const LINK_PAGE_HEADERS = { 'Referrer-Policy': 'strict-origin', 'Cache-Control': 'no-store' };

export function readLinkToken(scope: Scope): string {
  return scope.url.searchParams.get('token') ?? '';
}

/** A call with the token of the page; null if the host does not know it. */
export async function orUnknownLink<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.errors.token) return null;
    throw data(null, { status: thrown.status });
  }
}
