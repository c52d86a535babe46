import type { LoaderFunctionArgs } from '@remix-run/node';
import { i18nOf } from '~/i18n/messages.server';
import { orErrorPage } from '~/site/error-response.server';
import { findReadyMade, readyMadeStyles } from './ready-made-styles';
import { pictureResponse, stripResponse } from './style-picture.server';

const CACHING = 'public, max-age=86400';

/** Picture of a ready-made look without the caption of its frame, or `ready-made.svg`: all of them, with captions. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async ({ locale }) => {
    if (params.file === 'ready-made.svg') {
      const t = i18nOf(locale).getFixedT(null, 'look');
      return stripResponse(
        readyMadeStyles((name) => t(`captions.${name}`)),
        CACHING,
      );
    }
    const style = findReadyMade(params.file?.replace(/\.svg$/, '') ?? '');
    if (!style) throw new Response(null, { status: 404 });
    return pictureResponse(style, CACHING);
  });
}
