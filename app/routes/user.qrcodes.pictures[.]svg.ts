import type { LoaderFunctionArgs } from '@remix-run/node';
import { listCodes, readCodeQuery } from '~/codes/codes.server';
import { drawThumbnails } from '~/codes/thumbnails.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';

/**
 * The pictures of one page of the list, in one file; the URL contains a version, so it can be cached forever.
 */
export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    const query = readCodeQuery(new URL(request.url).searchParams);
    const { data } = await listCodes({ request, context }, token, query);
    const { svg, isWhole } = await drawThumbnails({ request, context }, data, token);
    return new Response(svg, {
      headers: {
        'Content-Type': 'image/svg+xml',
        'Cache-Control': isWhole ? 'private, max-age=31536000, immutable' : 'private, no-store',
        'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox",
      },
    });
  });
}
