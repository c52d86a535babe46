import type { LoaderFunctionArgs } from '@remix-run/node';
import { listCodes, readCodeQuery } from '~/codes/code/codes.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { drawThumbnails, thumbnailVersion } from './thumbnails.server';

/**
 * The pictures of one page of the list, in one file. Browsers keep it, as some take long to draw, but ask before they
 * show it again: without a session nobody may see it.
 */
export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    const query = readCodeQuery(new URL(request.url).searchParams);
    const { data } = await listCodes({ request, context }, token, query);
    const etag = `"${thumbnailVersion(data)}"`;
    const headers = { 'Cache-Control': 'private, no-cache', ETag: etag, Vary: 'Cookie' };
    const known = request.headers.get('if-none-match')?.split(/,\s*/) ?? [];
    if (known.some((one) => one.replace(/^W\//, '') === etag))
      return new Response(null, { status: 304, headers });
    const { svg, isWhole } = await drawThumbnails({ request, context }, data, token);
    return new Response(svg, {
      headers: {
        ...(isWhole ? headers : { 'Cache-Control': 'private, no-store' }),
        'Content-Type': 'image/svg+xml',
        'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox",
      },
    });
  });
}
