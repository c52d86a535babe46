import { isDeepStrictEqual } from 'node:util';
import type { ResponseOf } from '#contract/call';
import type { getCode } from '#contract/codes';
import { type CodeType, contentText } from '#contract/contents/contents';
import type { LogoChoice } from '#contract/logo-choice';
import { isLonger } from '#contract/storable';
import { CAPTION_LIMIT, DEFAULT_STYLE, type Style } from '#contract/style-rules';
import { StoredStyle } from '#contract/styles';
import { logoAddress } from '~/codes/create/logo-address';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { svgOf } from '~/codes/pictures/code-image';
import { stripOf } from '~/codes/pictures/picture-strip.server';
import { type CodeLogo, logoChoiceOfCode, logoValuesOf, readLogo } from './logo-choice.server';

/** Content of the smallest code that shows a look. */
const SAMPLE = 'QUADRILLE';

/** URL of a look's picture; it contains every non-default value, so it can be cached forever. */
export function styleAddress(style: Style): string {
  const own = Object.entries(style).filter(([field, value]) => value !== DEFAULT_STYLE[field as keyof Style]);
  return `/looks/own.svg?style=${encodeURIComponent(JSON.stringify(Object.fromEntries(own)))}`;
}

/** The picture at such a URL; 404 if it does not describe a valid look. */
export function drawStyleAt(url: URL): Response {
  const style = readStyle(url.searchParams.get('style') ?? '');
  // Anyone may ask for a picture, and each letter of a caption takes time to draw.
  if (!style || isLonger(style.caption, CAPTION_LIMIT)) throw new Response(null, { status: 404 });
  return pictureResponse(style, 'public, max-age=31536000, immutable');
}

/** A response with the picture of a look. */
export function pictureResponse(style: Style, caching: string): Response {
  return svgResponse(svgOf(drawCaptioned(SAMPLE, { style })), caching);
}

/** One with those of several, each at its name as the fragment of the address. */
export function stripResponse(looks: { name: string; style: Style }[], caching: string): Response {
  const pictures = looks.map(({ name, style }) => ({ id: name, drawing: drawCaptioned(SAMPLE, { style }) }));
  return svgResponse(stripOf(pictures), caching);
}

function svgResponse(svg: string, caching: string): Response {
  return new Response(svg, {
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': caching,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  });
}

/** Parses a look from JSON; null when it is invalid. */
export function readStyle(text: string): Style | null {
  return parseStyle(text)?.data ?? null;
}

/** Whether a look in JSON has a version that this website does not know. */
export function isOfOtherVersion(text: string): boolean {
  return parseStyle(text)?.error?.issues.some(({ path }) => path[0] === 'version') === true;
}

/** Null when the text is not JSON. */
function parseStyle(text: string) {
  try {
    return StoredStyle.safeParse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * The changes of a code, with URLs of the pictures of its looks and logos, null when a look cannot be drawn. Any look
 * or logo other than the current one can be restored.
 */
export function historyOf({ code, changes }: ResponseOf<typeof getCode>['data']) {
  const now = code.style ? JSON.stringify(code.style) : '';
  return changes.map((stored) => {
    const { before, after } = stored;
    const change = {
      ...stored,
      earlier: before,
      ...(stored.field === 'content' && shownContents(code.type, stored)),
    };
    if (change.field === 'logo') return { ...change, looks: logoPictures(code, before, after) };
    if (change.field !== 'style') return { ...change, looks: null };
    const canReturn = pictureOf(before) !== null && before !== now;
    return { ...change, looks: { before: pictureOf(before), after: pictureOf(after), canReturn } };
  });
}

/** Contents as their owner reads them. */
function shownContents(type: CodeType, { before, after }: { before: string; after: string }) {
  const shown = (content: string) => contentText({ type, content });
  return { before: shown(before), after: shown(after) };
}

function logoPictures(code: CodeLogo, before: string, after: string) {
  const [earlier, later] = [readLogo(before), readLogo(after)];
  const canReturn = earlier !== null && !isDeepStrictEqual(earlier, logoChoiceOfCode(code));
  const addressOf = (choice: LogoChoice | null) => {
    const name = choice && logoValuesOf(choice).logoPreset;
    return name && name !== 'none' ? logoAddress(name) : null;
  };
  return { before: addressOf(earlier), after: addressOf(later), canReturn };
}

/** URL of the picture of a look as stored in the history; null if it cannot be drawn. */
function pictureOf(text: string): string | null {
  const style = text === '' ? DEFAULT_STYLE : readStyle(text);
  return style && styleAddress(style);
}
