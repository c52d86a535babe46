import type { Answer } from '#contract/call';
import type { getCode } from '#contract/codes';
import { DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { svgOf } from '~/codes/pictures/code-image';

/** Content of the smallest code that shows a look. */
const SAMPLE = 'QUADRILLE';

/** Address of a look's picture; it names every non-default value, so it can be cached forever. */
export function styleAddress(style: Style): string {
  const own = Object.entries(style).filter(([field, value]) => value !== DEFAULT_STYLE[field as keyof Style]);
  return `/looks/own.svg?style=${encodeURIComponent(JSON.stringify(Object.fromEntries(own)))}`;
}

/** The picture at such an address; 404 when it names no look that a code may have. */
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

/** Parses a look from JSON; null when it is invalid. */
export function readStyle(text: string): Style | null {
  try {
    return StyleInput.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * The changes of a code, with addresses of the pictures of its looks, null when a look cannot be drawn. Any look other
 * than the current one can be restored.
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

/** For a look as stored in the history. */
function pictureOf(text: string): string | null {
  const style = text === '' ? DEFAULT_STYLE : readStyle(text);
  return style && styleAddress(style);
}
