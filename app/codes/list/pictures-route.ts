import type { LoaderFunctionArgs } from '@remix-run/node';
import { listCodes, readCodeQuery } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { drawThumbnails, thumbnailVersion } from './thumbnails.server';

/**
 * The pictures of one page of the list, in one file. Browsers keep it, as some take long to draw, but ask before they
 * show it again: without a session nobody may see it.
 */
export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const user = await requireUser(scope);
    const query = readCodeQuery(scope.url.searchParams);
    const { data } = await listCodes(user, query);
    const etag = `"${thumbnailVersion(data)}"`;
    const headers = { 'Cache-Control': 'private, no-cache', ETag: etag, Vary: 'Cookie' };
    const known = scope.request.headers.get('if-none-match')?.split(/,\s*/) ?? [];
    if (known.some((one) => one.replace(/^W\//, '') === etag))
      return new Response(null, { status: 304, headers });
    const { svg, isWhole } = await drawThumbnails(user, data);
    return new Response(svg, {
      headers: {
        ...(isWhole ? headers : { 'Cache-Control': 'private, no-store' }),
        'Content-Type': 'image/svg+xml',
        'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox",
      },
    });
  });
}
