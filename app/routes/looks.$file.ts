import type { LoaderFunctionArgs } from '@remix-run/node';
import { findReadyMade } from '~/codes/look/ready-made-styles';
import { svgOf } from '~/codes/pictures/code-image';
import { drawStyled } from '~/codes/pictures/styled-drawing';
import { orErrorPage } from '~/site/error-answer.server';

/** What the smallest code holds that shows a look. */
const SAMPLE = 'QUADRILLE';

/** Picture of a ready-made look, without the words of its frame. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const style = findReadyMade(params.file?.replace(/\.svg$/, '') ?? '');
    if (!style) throw new Response(null, { status: 404 });
    const svg = svgOf(drawStyled(SAMPLE, { style }));
    return new Response(svg, {
      headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' },
    });
  });
}
