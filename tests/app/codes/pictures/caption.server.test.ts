import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create } from 'fontkit';
import { expect, test } from 'vitest';
import { CAPTION_LETTERS, checkCaption, DEFAULT_STYLE } from '#contract/style-rules';
import { drawCaptioned, outlineCaption } from '~/codes/pictures/caption.server';

const SCAN_ADDRESS = 'https://QUADRILLE.EXAMPLE/R/7K3M9QXD';

function widthOf(text: string): number {
  return outlineCaption(text)?.words[0]?.width ?? Number.NaN;
}

test.each([
  'Scan for the menu',
  'Scannez pour la carte à 12 €',
  'Escanee el menú, ¡ya!',
  'Größe, Öl & Spaß',
  'Città, perché, così',
  'Ελληνικά Ωμέγα',
  'Меню Їжа',
  'žluťoučký kůň őű',
  'סרקו את התפריט!',
  '20% הנחה (היום)',
])('the caption %s is drawn', (text) => {
  const outline = outlineCaption(text);
  expect(outline?.words).toHaveLength(text.split(' ').length);
  for (const { path, width } of outline?.words ?? []) {
    expect(path).toMatch(/^M[-\d.MLQCZ ]+Z$/);
    expect(width).toBeGreaterThan(0);
  }
});

test('the rule accepts exactly the letters that the font has, of the scripts that captions may use', () => {
  const path = createRequire(import.meta.url).resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf');
  const face = create(readFileSync(path));
  if (!('hasGlyphForCodePoint' in face)) throw new Error('not a single font');
  const scripts =
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]$/u;
  const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\uffff]/u;
  const isDrawn = (letter: string, point: number) =>
    scripts.test(letter) &&
    !invisible.test(letter) &&
    letter.normalize('NFC') === letter &&
    face.hasGlyphForCodePoint(point);
  const differing: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const letter = String.fromCodePoint(point);
    if (CAPTION_LETTERS.test(letter) !== isDrawn(letter, point)) differing.push(point.toString(16));
  }
  expect(differing).toEqual([]);
});

test.each(['扫一扫', 'Scan 🎉', 'مرحبا', 'สวัสดี', 'नमस्ते', '❤️', 'Scan\u{f0000}'])(
  'the caption %s has unsupported characters and is not drawn',
  (text) => {
    expect(outlineCaption(text)).toBeNull();
  },
);

test.each(['Café שלום', 'שלום2', '20–24 שלום', 'a-ש'])(
  'the caption %s mixes directions and is not drawn',
  (text) => {
    expect(outlineCaption(text)).toBeNull();
  },
);

test.each([
  [`A${'\u0301'.repeat(29)}`, 'caption_letters'],
  ['A\u0301\u0302\u0303\u0304', 'caption_letters'],
  ['Ti\u1ebfng Vi\u1ec7t a\u0301\u0302', null],
  ['\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd', null],
])('marks that would leave the band of a frame are refused: %j', (caption, problem) => {
  expect(checkCaption(caption.normalize('NFC'))).toBe(problem);
});

test('letters are kerned', () => {
  expect(widthOf('AV')).toBeLessThan(widthOf('A') + widthOf('V'));
});

test('Hebrew runs from right to left with mirrored brackets', () => {
  const first = (text: string) => outlineCaption(text)?.words[0]?.path ?? '';
  // The path starts at the left with the letter that is read last.
  expect(first('של').startsWith(first('ל'))).toBe(true);
  expect(first('(של').endsWith(first('('))).toBe(false);
  expect(first('ש)').startsWith(first('('))).toBe(true);
  expect(outlineCaption('של')?.isRightToLeft).toBe(true);
  expect(outlineCaption('Menu')?.isRightToLeft).toBe(false);
});

/** Bounding box of a path. */
function extent(path: string) {
  const pairs = Array.from(
    path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g),
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
  const [xs, ys] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

const frames = ['caption-below', 'caption-above', 'badge', 'ticket'] as const;
const captions = [
  'i',
  'Menu',
  'Scan for the menu',
  'W'.repeat(30),
  'Scannen Sie die Speisekarte an',
  'סרקו את התפריט של המסעדה שלנו',
];

test.each(frames.flatMap((frame) => captions.map((caption) => [frame, caption] as const)))(
  'frame %s keeps the caption %s inside, away from the code',
  (frame, caption) => {
    for (const payload of [SCAN_ADDRESS, 'x'.repeat(255)]) {
      const drawing = drawCaptioned(payload, { style: { ...DEFAULT_STYLE, frame, caption } });
      const { x = 0, y = 0, width = 0, height = 0, layers = [] } = drawing.look ?? {};
      const text = extent(layers.find(({ part }) => part === 'caption')?.path ?? '');
      expect(text.left).toBeGreaterThan(x + 0.5);
      expect(text.right).toBeLessThan(x + width - 0.5);
      expect(text.top).toBeGreaterThan(y);
      expect(text.bottom).toBeLessThan(y + height);
      expect(text.bottom < 0 || text.top > drawing.size).toBe(true);
      expect(Math.abs(text.left + text.right - 2 * x - width)).toBeLessThan(drawing.size * 0.06);
    }
  },
);

test.each([
  ['i Menu', false],
  ['א בגדה', true],
])(
  'the first word of “%s” is drawn first in the direction of its script: from the right %s',
  (caption, isFromRight) => {
    const style = { ...DEFAULT_STYLE, frame: 'caption-below' as const, caption };
    const drawing = drawCaptioned(SCAN_ADDRESS, { style });
    const path = drawing.look?.layers.find(({ part }) => part === 'caption')?.path ?? '';
    const [first = '', second = ''] = caption.split(' ').map((word) => outlineCaption(word)?.words[0]?.path);
    const glyphs = path.split(/(?<=Z)/);
    const partsOf = (word: string) => word.split(/(?<=Z)/).length;
    expect(glyphs).toHaveLength(partsOf(first) + partsOf(second));
    const byPlace = glyphs.map(extent).sort((a, b) => a.left - b.left);
    const outer = isFromRight ? byPlace.slice(-partsOf(first)) : byPlace.slice(0, partsOf(first));
    const widths = (boxes: ReturnType<typeof extent>[]) => {
      const [left, right] = [
        Math.min(...boxes.map((box) => box.left)),
        Math.max(...boxes.map((box) => box.right)),
      ];
      return right - left;
    };
    // The shorter word, which is read first.
    expect(widths(outer)).toBeLessThan(widths(byPlace.filter((box) => !outer.includes(box))) / 2);
  },
);

test('a long caption wraps into two lines, with the first words above', () => {
  const pathOf = (caption: string) => {
    const drawing = drawCaptioned(SCAN_ADDRESS, {
      style: { ...DEFAULT_STYLE, frame: 'caption-below', caption },
    });
    return drawing.look?.layers.find(({ part }) => part === 'caption')?.path ?? '';
  };
  const { top, bottom } = extent(pathOf('Scannen Sie die Speisekarte an'));
  const one = extent(pathOf('Menu'));
  expect(bottom - top).toBeGreaterThan(1.4 * (one.bottom - one.top));
  const hebrew = pathOf('סרקו את התפריט של המסעדה שלנו');
  const [firstWord] = outlineCaption('סרקו')?.words ?? [];
  const glyphs = (firstWord?.path.match(/Z/g) ?? []).length;
  // Lines are in reading order, but the first word of each is its rightmost, which is last in the path.
  const lines = hebrew.split(/(?<=Z)/);
  const heights = lines.map((glyph) => extent(glyph).bottom);
  const lower = heights.findIndex((bottom) => bottom > (Math.min(...heights) + Math.max(...heights)) / 2);
  const upper = lines.slice(0, lower);
  const lastWord = upper.slice(-glyphs).join('');
  expect(extent(lastWord).right).toBe(extent(upper.join('')).right);
});
