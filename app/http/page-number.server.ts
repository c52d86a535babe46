import { redirectKeepingFlash } from './flash.server';
import type { RequestContext } from './scope.server';

/** The requested page of a list, from 1. An invalid number redirects to the first page, with a notice. */
export async function readPageNumber({ request }: RequestContext): Promise<number> {
  const requested = new URL(request.url).searchParams.get('page') ?? '1';
  if (!/^[1-9]\d{0,4}$/.test(requested)) throw await firstPage(request);
  return Number(requested);
}

/** The same for a page beyond the last. */
export async function requireRows({ request }: RequestContext, page: number, rows: unknown[]): Promise<void> {
  if (page > 1 && rows.length === 0) throw await firstPage(request);
}

function firstPage(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  searchParams.delete('page');
  const first = searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
  return redirectKeepingFlash(request, first, { type: 'info', key: 'no_such_page' });
}
