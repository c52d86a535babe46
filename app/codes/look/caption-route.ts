import type { LoaderFunctionArgs } from '@remix-run/node';
import { checkCaption, tidyCaption } from '#contract/style-rules';
import { outlineCaption } from '~/codes/pictures/caption.server';
import { orErrorPage } from '~/site/error-response.server';

/**
 * Outlines of a frame's caption for the live preview, which has no font: 200 with a `CaptionOutline`, 422
 * with the `problem` of a caption that cannot be drawn.
 */
export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const text = tidyCaption(scope.url.searchParams.get('text') ?? '');
    const problem = checkCaption(text);
    if (problem) return Response.json({ problem }, { status: 422 });
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
    return Response.json(outlineCaption(text), { headers });
  });
}
