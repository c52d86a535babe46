import { redirect } from '@remix-run/node';
import { exportCodes, exportDailyFigures } from '#contract/exports';
import { utcDay } from '#contract/utc-days';
import { streamHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { refusedAddress } from './export-refusal.server';

/** Figures of each day in the requested period; if the host refuses it, redirects to the page, which says so. */
export async function downloadDays(requestContext: RequestContext, token: string): Promise<Response> {
  const { search, searchParams } = new URL(requestContext.request.url);
  const names = Object.keys(exportDailyFigures.query.shape);
  const query = Object.fromEntries(
    [...searchParams].filter(([name, value]) => names.includes(name) && value),
  );
  try {
    return fileOf(await streamHost(requestContext, exportDailyFigures, { query, token }), 'daily-figures');
  } catch (thrown) {
    if (isRefused(thrown)) throw redirect(refusedAddress(search, new Date()), 303);
    if (thrown instanceof HostError) throw redirect(`/user/analytics${search}`, 303);
    throw thrown;
  }
}

/** All codes of the account with their destinations. */
export async function downloadCodes(requestContext: RequestContext, token: string): Promise<Response> {
  try {
    return fileOf(await streamHost(requestContext, exportCodes, { token }), 'codes');
  } catch (thrown) {
    if (isRefused(thrown)) throw redirect(refusedAddress('', new Date()), 303);
    throw thrown;
  }
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof HostError && thrown.status === 429;
}

function fileOf({ body, headers }: Response, name: string): Response {
  const today = utcDay(new Date());
  return new Response(body, {
    headers: {
      'Content-Type': headers.get('content-type') ?? 'text/csv',
      'Content-Disposition': `attachment; filename="${name}-${today}.csv"`,
      'Cache-Control': 'private, no-store',
    },
  });
}
