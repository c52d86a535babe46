import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type PDFDocument from 'pdfkit';

export type Pdf = InstanceType<typeof PDFDocument>;

const require = createRequire(import.meta.url);

/** Arimo has the metrics of Helvetica, and the letters of every European language. */
const FACES = [
  ['regular', () => require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')],
  ['bold', () => require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf')],
] as const;

const files = new Map<string, Buffer>();

/** Registers the faces `regular` and `bold` with a document. */
export async function registerFaces(pdf: Pdf): Promise<void> {
  for (const [face, findFile] of FACES) {
    const file = files.get(face) ?? withoutKerning(await readFile(findFile()));
    files.set(face, file);
    pdf.registerFont(face, file);
  }
}

/**
 * Hides the table of kerning and mark positions by renaming it in the table directory (OpenType: sixteen bytes per
 * entry, from byte 12). Every document would parse it again, which takes three times as long as everything else.
 */
function withoutKerning(font: Buffer): Buffer {
  for (let table = 0; table < font.readUInt16BE(4); table += 1) {
    const offset = 12 + 16 * table;
    if (font.toString('latin1', offset, offset + 4) === 'GPOS') font.write('gpos', offset, 'latin1');
  }
  return font;
}

/** What the documents' font covers: Latin, Greek, Cyrillic and Hebrew letters, marks, punctuation, currencies. */
const COVERED = /^[\n\u0020-\u007e\u00a0-\u052f\u05d0-\u05ea\u1e00-\u20be\u2100-\u214f]+$/;
/** Invisible characters, which are left out. */
const INVISIBLE = /^[\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;
/** Characters without a glyph inside those ranges. */
const MISSING_GLYPHS = /[\p{Cf}\p{Zl}\p{Zp}\p{Cn}]/u;

/**
 * A text as the font can draw it: marks are merged with their letter if a combined form exists. Letters of other
 * scripts become question marks, as no font of reasonable size covers them all.
 */
export function drawable(text: string): string {
  const letters = [...text.normalize('NFC')].map(drawableLetter).join('');
  // Words are drawn one by one from the left: no-break spaces keep a Hebrew name together as one word, in order.
  return letters.replace(/([א-ת]) (?=[א-ת])/g, '$1\u00a0').replace(/([א-ת]) /g, '$1 \u00a0');
}

function drawableLetter(letter: string): string {
  if (isCovered(letter)) return letter;
  if (INVISIBLE.test(letter)) return '';
  // Full-width letters and other variants that only look different.
  const plain = letter.normalize('NFKC');
  return isCovered(plain) ? plain : '?';
}

function isCovered(text: string): boolean {
  return COVERED.test(text) && !MISSING_GLYPHS.test(text);
}
