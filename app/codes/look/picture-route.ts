import type { LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { findReadyMade } from './ready-made-styles';
import { pictureResponse } from './style-picture.server';

/** Picture of a ready-made look, without the caption of its frame. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async () => {
    const style = findReadyMade(params.file?.replace(/\.svg$/, '') ?? '');
    if (!style) throw new Response(null, { status: 404 });
    return pictureResponse(style, 'public, max-age=86400');
  });
}
