import { redirectKeepingFlash } from './flash.server';
import type { RequestContext } from './scope.server';

/** Which page of a list an address asks for, from 1. For a number that is none the first page opens and says so. */
export async function readPageNumber({ request }: RequestContext): Promise<number> {
  const asked = new URL(request.url).searchParams.get('page') ?? '1';
  if (!/^[1-9]\d{0,4}$/.test(asked)) throw await firstPage(request);
  return Number(asked);
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
