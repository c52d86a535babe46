import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Font, GlyphRun } from 'fontkit';
import { LRUCache } from 'lru-cache';
import type { CaptionOutline, CodeDrawing } from '~/codes/pictures/code-image';
import { drawStyled, type StyledOptions } from '~/codes/pictures/styled-drawing';

const installed = createRequire(import.meta.url);
const FACE = '@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf';
const outlines = new LRUCache<string, { outline: CaptionOutline | null }>({ max: 500 });
let font: Font | undefined;

const HEBREW = /[\u0590-\u05ff]/;
/** Words whose order of letters is beyond doubt where lines run from right to left: of Hebrew, a number, a mark. */
const HEBREW_WORD = /^["'([]*[\u0591-\u05f4]+(?:["'-][\u0591-\u05f4]+)*[\])"'!?.,:;…]*$/;
const NUMBER = /^[₪€$£]?\d+(?:[.,:/]\d+)*[%₪€$£]?$/;
const MARK = /^[-–—·•|&+!?…]$/;
const MIRRORED: Record<string, string> = { '(': ')', ')': '(', '[': ']', ']': '[' };

/** Draws as `drawStyled` does, with the style's caption; a frame stays empty whose caption cannot be drawn. */
export function drawCaptioned(payload: string, options: Omit<StyledOptions, 'caption'>): CodeDrawing {
  const text = options.style?.caption;
  return drawStyled(payload, { ...options, caption: (text && outlineCaption(text)) || undefined });
}

/**
 * A caption in the letters of Arimo: Latin, Greek, Cyrillic and Hebrew. Null where it has others, or Hebrew beside
 * words of another direction.
 */
export function outlineCaption(text: string): CaptionOutline | null {
  const known = outlines.get(text);
  if (known) return known.outline;
  font ??= openFont();
  const outline = outlineWith(font, text);
  outlines.set(text, { outline });
  return outline;
}

/** With the first caption: loading it takes a tenth of a second, which no start of a program has to wait for. */
function openFont(): Font {
  const { create } = installed('fontkit') as typeof import('fontkit');
  return create(readFileSync(installed.resolve(FACE))) as Font;
}

function outlineWith(face: Font, text: string): CaptionOutline | null {
  if (!Array.from(text).every((letter) => face.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0))) return null;
  const typed = text.split(' ');
  const isHebrew = HEBREW.test(text);
  if (isHebrew && !typed.every((word) => [HEBREW_WORD, NUMBER, MARK].some((form) => form.test(word)))) {
    return null;
  }
  const words = typed.map((word) => outlineWord(face, word));
  const space = face.layout(' ').advanceWidth;
  return { words, isRightToLeft: isHebrew, space, capHeight: face.capHeight };
}

function outlineWord(face: Font, word: string): { path: string; width: number } {
  const isHebrew = HEBREW.test(word);
  // The font sets letters from right to left, and leaves it to others to turn brackets about.
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
