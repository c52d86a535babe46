import fc from 'fast-check';
import { create } from 'qrcode/lib/core/qrcode.js';
import { expect, test } from 'vitest';
import { tidy } from '#contract/contents/text-rules';
import { isStorable } from '#contract/storable';
import { withBestMask, withMask } from '~/codes/pictures/best-mask';
import { drawCode } from '~/codes/pictures/code-image';
import { pngOf } from '~/codes/pictures/code-png.server';
import { type Codewords, encode } from '~/codes/pictures/codewords';
import type { Pixels } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';
import { placeCodewords } from '~/codes/pictures/symbol';
import { runs } from '../../../support/seed';
import { pixelsOf } from './pixels';

const LEVEL_H = { errorCorrectionLevel: 'H' as const };
const VERSIONS = Array.from({ length: 40 }, (_, index) => index + 1);
const MASKS = [0, 1, 2, 3, 4, 5, 6, 7];
/** UTF-8 bytes that one segment of bytes holds at level H, by version (ISO/IEC 18004, table 7). */
const CAPACITY = [
  7, 14, 24, 34, 44, 58, 64, 84, 98, 119, 137, 155, 177, 194, 220, 250, 280, 310, 338, 382, 403, 439, 461,
  511, 535, 593, 625, 658, 698, 742, 790, 842, 898, 958, 983, 1051, 1093, 1139, 1219, 1273,
];

function encoded(text: string, minVersion = 1): Codewords {
  const codewords = encode(text, minVersion);
  if (!codewords) throw new Error('too long');
  return codewords;
}

test('in every version and mask, a symbol is module for module that of another library', () => {
  for (const version of VERSIONS) {
    const symbol = placeCodewords(encoded('Menu 12', version));
    for (const mask of MASKS) {
      const { modules } = create('Menu 12', { ...LEVEL_H, version, maskPattern: mask });
      const isEqual = Buffer.from(withMask(symbol, mask)).equals(modules.data);
      expect({ version, mask, isEqual }).toEqual({ version, mask, isEqual: true });
    }
  }
});

test('any ASCII text has the best mask, and never a higher version than another library finds', () => {
  const oneMode = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abc?~'), minLength: 1, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 400 }),
  );
  fc.assert(
    fc.property(oneMode, fc.integer({ min: 1, max: 40 }), (text, least) => {
      const { version } = create(text, LEVEL_H);
      const codewords = encoded(text, least);
      expect(codewords.version).toBe(Math.max(version, least));
      const { modules } = create(text, { ...LEVEL_H, version: codewords.version });
      expect(Buffer.from(withBestMask(placeCodewords(codewords))).equals(modules.data)).toBe(true);
    }),
    runs(60),
  );
  const mixed = fc.array(fc.stringMatching(/^(?:[a-z]{1,9}|[A-Z:/. ]{1,9}|\d{1,9})$/), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(mixed, (parts) => {
      const text = parts.join('');
      expect(encoded(text).version).toBeLessThanOrEqual(create(text, LEVEL_H).version);
    }),
    runs(300),
  );
  // The other library counts with the longer character counts of version 10.
  const boundary = `:.fcdeadedjchajgaicihfffi-///.//-:/.:.bghghifefibdfdgdd31.:.:.//:://:.FGFIAGGFHCJEA802795:-//::::-.:ehhbgfcbfi`;
  expect([encoded(boundary).version, create(boundary, LEVEL_H).version]).toEqual([9, 10]);
});

test('with letters beyond ASCII every version holds one byte less, because the encoding is declared', () => {
  for (const [index, bytes] of CAPACITY.entries()) {
    const next = index + 2 > 40 ? undefined : index + 2;
    const versionOf = (text: string) => encode(text, 1)?.version;
    expect(['x'.repeat(bytes), 'x'.repeat(bytes + 1)].map(versionOf)).toEqual([index + 1, next]);
    expect([withAccent(bytes - 1), withAccent(bytes)].map(versionOf)).toEqual([index + 1, next]);
  }
});

async function pictureOf(text: string): Promise<Pixels> {
  const drawing = drawCode(text, {});
  return pixelsOf(await pngOf(drawing, drawing.size * 4));
}

function withAccent(bytes: number): string {
  return `é${'x'.repeat(bytes - 2)}`;
}

test('a full symbol with a declared encoding is read in every version by decoders in their default modes', async () => {
  for (const [index, bytes] of CAPACITY.entries()) {
    const text = withAccent(bytes - 1);
    expect(encoded(text).version).toBe(index + 1);
    expect(await readWithAll(await pictureOf(text))).toEqual({ zxing: text, zbar: text, jsqr: text });
  }
});

test.each([
  'Gäste-WLAN',
  'Café',
  '½ €',
  'ﾃｼ',
  '日本語',
  '😀',
  'MENÜ 12345678901234567890 CAFÉ',
  'Grüße\naus 10115 BERLIN\t☕',
])('%j is read by every decoder in its default mode', async (text) => {
  expect(await readWithAll(await pictureOf(text))).toEqual({ zxing: text, zbar: text, jsqr: text });
});

test('any text is read by every decoder in its default mode', async () => {
  const text = fc
    .oneof(...(['grapheme', 'binary'] as const).map((unit) => fc.string({ unit, maxLength: 120 })))
    .map(tidy)
    .filter((entered) => entered !== '' && isStorable(entered));
  await fc.assert(
    fc.asyncProperty(text, async (entered) => {
      expect(await readWithAll(await pictureOf(entered))).toEqual({
        zxing: entered,
        zbar: entered,
        jsqr: entered,
      });
    }),
    runs(60),
  );
});
