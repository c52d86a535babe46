import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Font, GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { HEBREW, isDrawable } from '#contract/style-rules';
import { FONT_FILES } from '#runtime/fonts';
import type { CaptionOutline, CodeDrawing } from '~/codes/pictures/code-image';
import { drawStyled, measureStyled, type StyledOptions } from '~/codes/pictures/styled-drawing';

const installed = createRequire(import.meta.url);
const outlines = new LRUCache<string, CaptionOutline>({ max: 500 });
let font: Font | undefined;

const MIRRORED: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[' };

/** Like `drawStyled`, with the style's caption; the frame stays empty when its caption cannot be drawn. */
export function drawCaptioned(payload: string, options: Omit<StyledOptions, 'caption'>): CodeDrawing {
  return drawStyled(payload, withCaption(options));
}

/** Like `measureStyled`, of what `drawCaptioned` draws. */
export function measureCaptioned(payload: string, options: Omit<StyledOptions, 'caption'>) {
  return measureStyled(payload, withCaption(options));
}

function withCaption(options: Omit<StyledOptions, 'caption'>): StyledOptions {
  const text = options.style?.caption;
  return { ...options, caption: (text && outlineCaption(text)) || undefined };
}

/** Outlines of a caption in Arimo; null for one that is not `isDrawable`. */
export function outlineCaption(text: string): CaptionOutline | null {
  if (!isDrawable(text)) return null;
  font ??= openFont();
  const outline = outlines.get(text) ?? outlineWith(font, text);
  outlines.set(text, outline);
  return outline;
}

/** Loaded with the first caption: it takes a tenth of a second, which should not delay startup. */
function openFont(): Font {
  const { create } = installed('fontkit') as typeof import('fontkit');
  return create(readFileSync(FONT_FILES.bold)) as Font;
}

function outlineWith(face: Font, text: string): CaptionOutline {
  const words = text.split(' ').map((word) => outlineWord(face, word));
  const space = face.layout(' ').advanceWidth;
  return { words, isRightToLeft: HEBREW.test(text), space, capHeight: face.capHeight };
}

function outlineWord(face: Font, word: string): { path: string; width: number } {
  const isHebrew = HEBREW.test(word);
  // The font library lays letters out from right to left but does not mirror brackets.
  const letters = isHebrew ? word.replace(/[()[\]]/g, (bracket) => MIRRORED[bracket] ?? bracket) : word;
  const { glyphs, positions }: GlyphRun = face.layout(letters);
  let x = 0;
  let path = '';
  for (const [at, glyph] of glyphs.entries()) {
    const { xOffset, yOffset, xAdvance } = positions[at] ?? { xOffset: 0, yOffset: 0, xAdvance: 0 };
    path += glyph.path
      .translate(x + xOffset, yOffset)
      .scale(1, -1)
      .toSVG();
    x += xAdvance;
  }
  return { path, width: x };
}
