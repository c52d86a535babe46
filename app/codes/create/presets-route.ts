import type { LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { presetSprite } from './logo-bytes.server';

/** All preset logos as symbols of one file, so that choosing one costs a single request. */
export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    return new Response(await presetSprite(scope), {
      headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' },
    });
  });
}
