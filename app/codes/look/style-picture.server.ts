import type { Answer } from '#contract/call';
import type { getCode } from '#contract/codes';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { svgOf } from '~/codes/pictures/code-image';

/** What the smallest code holds that shows a look. */
const SAMPLE = 'QUADRILLE';

/** Address of a picture of a look, which names all that is not as by default: it is kept for good. */
export function styleAddress(style: Style): string {
  const own = Object.entries(style).filter(([field, value]) => value !== DEFAULT_STYLE[field as keyof Style]);
  return `/looks/own.svg?style=${encodeURIComponent(JSON.stringify(Object.fromEntries(own)))}`;
}

/** The picture at such an address; 404 where it names no look that a code may have. */
export function drawStyleAt(url: URL): Response {
  const style = readStyle(url.searchParams.get('style') ?? '');
  if (!style) throw new Response(null, { status: 404 });
  return answerWithPicture(style, 'public, max-age=31536000, immutable');
}

/** An answer with the picture of a look. */
export function answerWithPicture(style: Style, caching: string): Response {
  return new Response(svgOf(drawCaptioned(SAMPLE, { style })), {
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': caching,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  });
}

/** A look in JSON; null for a text that is none. */
export function readStyle(text: string): Style | null {
  try {
    return StyleInput.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * What was changed of a code, with addresses of pictures of its looks: null where a look cannot be drawn. Whatever it does
 * not look like now can be brought back.
 */
export function historyOf({ code, changes }: Answer<typeof getCode>['data']) {
  const now = code.style ? JSON.stringify(code.style) : '';
  return changes.map((change) => {
    if (change.field !== 'style') return { ...change, looks: null };
    const { before, after } = change;
    const canReturn = pictureOf(before) !== null && before !== now;
    return { ...change, looks: { before: pictureOf(before), after: pictureOf(after), canReturn } };
  });
}

/** Of a look as the history has it. */
function pictureOf(text: string): string | null {
  const style = text === '' ? DEFAULT_STYLE : readStyle(text);
  return style && styleAddress(style);
}
