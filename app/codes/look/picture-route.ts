import type { LoaderFunctionArgs } from '@remix-run/node';
import { i18nOf } from '~/i18n/messages.server';
import { orErrorPage } from '~/site/error-response.server';
import { type Framed, findReadyMade } from './ready-made-styles';
import { pictureResponse } from './style-picture.server';

/** Picture of a ready-made look; the frame has its caption if the address names a language. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async ({ url, locale }) => {
    const t = i18nOf(locale).getFixedT(null, 'look');
    const captionOf = (name: Framed) => (url.searchParams.has('lng') ? t(`captions.${name}`) : '');
    const style = findReadyMade(params.file?.replace(/\.svg$/, '') ?? '', captionOf);
    if (!style) throw new Response(null, { status: 404 });
    return pictureResponse(style, 'public, max-age=86400');
  });
}
