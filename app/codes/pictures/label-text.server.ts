import { readFile } from 'node:fs/promises';
import { FONT_FILES } from '#runtime/fonts';
import { divide, type LayoutName, layOut, type Place } from '~/codes/files/sheet-layouts';
import { openPdf, type Pdf, POINTS_PER_MM } from '~/codes/pictures/code-pdf.server';

/** Printed with a code, as `printable` returns it; empty for none. */
export interface LabelText {
  name: string;
  action: string;
}

export interface TextOrder {
  layout: LayoutName;
  /** With the height of each code relative to its width. */
  labels: (LabelText & { ratio: number })[];
}

/** What does not fit even in the smallest letters. */
export interface CutTexts {
  /** The labels whose name is cut, by their position. */
  names: number[];
  /** Whether the call to action is cut on any. */
  hasAction: boolean;
}

const SMALLEST_POINTS = 5;
/** Smaller letters, relative to those of broken words, are worse than broken words. */
const LEGIBLE_RATIO = 0.6;
const TEXT_COLOUR = '#14203c';

export async function registerFaces(document: Pdf): Promise<void> {
  for (const [face, path] of Object.entries(FONT_FILES)) document.registerFont(face, await readFile(path));
}

/** Finds the texts that `paintText` would cut. */
export async function findCutTexts({ layout, labels }: TextOrder): Promise<CutTexts> {
  const { document, addPage } = openPdf('');
  await registerFaces(document);
  const { page, places } = layOut(layout, false);
  const [place = page] = places;
  addPage(page);
  const cut: CutTexts = { names: [], hasAction: false };
  for (const [at, { ratio, ...text }] of labels.entries()) {
    const { caption } = divide(place, text.name !== '' || text.action !== '', ratio);
    if (!caption) continue;
    const { upper, lower } = setLines(document, text, inPoints(caption));
    if (upper?.isCut) cut.names.push(at);
    if (lower?.isCut) cut.hasAction = true;
  }
  return cut;
}

/** The name above the call to action, beside the code or below it. */
export function paintText(document: Pdf, text: LabelText, caption: Place, code: Place): void {
  const isBeside = caption.x > code.x + code.width / 2;
  const align = isBeside ? ('left' as const) : ('center' as const);
  const box = inPoints(caption);
  const { upper, lower } = setLines(document, text, box);
  const lines = [upper, lower].filter((line) => line !== null);
  const height = lines.reduce((sum, line) => sum + line.height, 0);
  let y = box.y + (isBeside ? Math.max(0, (box.height - height) / 2) : 0);
  document.fillColor(TEXT_COLOUR);
  for (const { text, face, size, height } of lines) {
    document.font(face).fontSize(size);
    document.text(text, box.x, y, { width: box.width, align, height: height + 0.01, ellipsis: true });
    y += height;
  }
}

/** Both as large as they fit; the name is cut first if there is no room for both. */
function setLines(document: Pdf, { name, action }: LabelText, box: Place) {
  const largest = Math.min(box.height * 0.42, box.width * 0.16);
  const smallest = Math.min(SMALLEST_POINTS, largest);
  const nameLine = document.font('bold').fontSize(smallest).currentLineHeight();
  const lower =
    action === ''
      ? null
      : setText(document, action, 'regular', {
          width: box.width,
          height: name ? Math.min(box.height * 0.5, box.height - nameLine) : box.height,
          largest: largest * (name ? 0.8 : 1),
          smallest,
        });
  const upper =
    name === ''
      ? null
      : setText(document, name, 'bold', {
          width: box.width,
          height: box.height - (lower ? lower.height : 0),
          largest,
          smallest,
        });
  return { upper, lower };
}

/**
 * The largest size at which a text fits, and its height there, at most that of the room. Words are broken if they would
 * otherwise have to be much smaller.
 */
function setText(
  document: Pdf,
  text: string,
  face: string,
  { width, height, largest, smallest }: { width: number; height: number; largest: number; smallest: number },
) {
  const heightAt = (size: number) => document.font(face).fontSize(size).heightOfString(text, { width });
  const shrink = (from: number, least: number, fits: (size: number) => boolean) => {
    let size = from;
    while (size > least && !fits(size)) size = Math.max(least, size * 0.94);
    return size;
  };
  const byHeight = shrink(largest, smallest, (size) => heightAt(size) <= height);
  const isWhole = (size: number) => wordsFit(document, text, face, size, width);
  const byWords = shrink(byHeight, Math.max(smallest, byHeight * LEGIBLE_RATIO), isWhole);
  const size = isWhole(byWords) ? byWords : byHeight;
  const needed = heightAt(size);
  return { text, face, size, height: Math.min(height, needed), isCut: needed > height };
}

/** Whether all words fit without being broken, except after a hyphen or a slash. */
function wordsFit(document: Pdf, text: string, face: string, size: number, width: number): boolean {
  document.font(face).fontSize(size);
  return text.split(/ |(?<=[/-])/).every((word) => document.widthOfString(word) <= width);
}

/** A place in points instead of millimetres. */
export function inPoints({ x, y, width, height }: Place): Place {
  return {
    x: x * POINTS_PER_MM,
    y: y * POINTS_PER_MM,
    width: width * POINTS_PER_MM,
    height: height * POINTS_PER_MM,
  };
}
