import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type PDFDocument from 'pdfkit';

export type Pdf = InstanceType<typeof PDFDocument>;

const require = createRequire(import.meta.url);

/** Arimo has the widths of Helvetica, and the letters of every language of Europe. */
const FACES = [
  ['regular', () => require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')],
  ['bold', () => require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf')],
] as const;

const files = new Map<string, Buffer>();

/** Makes the faces `regular` and `bold` known to a document. */
export async function registerFaces(pdf: Pdf): Promise<void> {
  for (const [face, findFile] of FACES) {
    const file = files.get(face) ?? withoutKerning(await readFile(findFile()));
    files.set(face, file);
    pdf.registerFont(face, file);
  }
}

/**
 * Hides the table of kerning and of the places of marks by another name in the directory of tables (OpenType: sixteen
 * bytes each, from byte 12). Every document would read it anew, for three times as long as all the rest takes.
 */
function withoutKerning(font: Buffer): Buffer {
  for (let table = 0; table < font.readUInt16BE(4); table += 1) {
    const at = 12 + 16 * table;
    if (font.toString('latin1', at, at + 4) === 'GPOS') font.write('gpos', at, 'latin1');
  }
  return font;
}
