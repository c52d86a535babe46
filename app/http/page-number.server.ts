import { redirectKeepingFlash } from './flash.server';
import type { Scope } from './scope.server';

/** The requested page of a list, from 1. An invalid number redirects to the first page, with a notice. */
export async function readPageNumber(scope: Scope): Promise<number> {
  const requested = scope.url.searchParams.get('page') ?? '1';
  if (!/^[1-9]\d{0,4}$/.test(requested)) throw await firstPage(scope);
  return Number(requested);
}

/** The same for a page beyond the last. */
export async function requireRows(scope: Scope, page: number, rows: unknown[]): Promise<void> {
  if (page > 1 && rows.length === 0) throw await firstPage(scope);
}

function firstPage(scope: Scope): Promise<Response> {
  const others = new URLSearchParams(scope.url.search);
  others.delete('page');
  const { pathname } = scope.url;
  const first = others.size > 0 ? `${pathname}?${others}` : pathname;
  return redirectKeepingFlash(scope, first, { type: 'info', key: 'no_such_page' });
}
