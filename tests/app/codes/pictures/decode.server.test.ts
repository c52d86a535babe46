import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawCode, svgOf } from '~/codes/pictures/code-image';
import { pngOf, squareLogo } from '~/codes/pictures/code-png.server';
import { decodeImage } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';
import { runs, SEED } from '../../../support/seed';
import { listLogos } from './logos';
import { pixelsOf } from './pixels';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const code = fc.string({ unit: fc.constantFrom(...CROCKFORD), minLength: 8, maxLength: 8 });
const logos = await Promise.all(
  Array.from(await listLogos(), async ([name, picture]) => [name, await squareLogo(picture)] as const),
);

async function picture(payload: string, logo: Buffer | undefined, isRound: boolean, scale: number) {
  const drawing = drawCode(payload, { logoHref: logo && 'logo', useWhiteBackground: isRound });
  return pixelsOf(await pngOf(drawing, drawing.size * scale + 1, logo));
}

test.each(['https://QUADRILLE.EXAMPLE/R/', 'http://LOCALHOST:3000/R/'])(
  'addresses under %s are read by three decoders with every logo',
  async (prefix) => {
    const looks = [['none', undefined] as const, ...logos].flatMap(([name, logo]) =>
      [false, true].map((isRound) => ({ name, logo, isRound })),
    );
    const suffixes = fc.sample(code, { ...runs(looks.length), seed: SEED + prefix.length });
    for (const [index, suffix] of suffixes.entries()) {
      const { name = '', logo, isRound = false } = looks[index % looks.length] ?? {};
      const payload = prefix + suffix;
      const read = await readWithAll(await picture(payload, logo, isRound, 4));
      const about = { name, isRound, SEED };
      expect({ ...about, ...read }).toEqual({ ...about, zxing: payload, jsqr: payload, zbar: payload });
    }
  },
);

test('direct payloads are read by two decoders with every logo', async () => {
  const direct = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 });
  for (const [index, payload] of fc.sample(direct, runs(2 * logos.length)).entries()) {
    const [name = '', logo] = logos[index % logos.length] ?? [];
    const { zxing, jsqr } = await readWithAll(await picture(payload, logo, true, 5));
    expect({ name, SEED, zxing, jsqr }).toEqual({ name, SEED, zxing: payload, jsqr: payload });
  }
});

test('two different codes in one picture decode to nothing', async () => {
  const one = Buffer.from(svgOf(drawCode('one', {}), { px: 200 }));
  const other = Buffer.from(svgOf(drawCode('other', {}), { px: 200 }));
  const both = (second: Buffer) =>
    sharp(one)
      .extend({ right: 200, background: '#fff' })
      .composite([{ input: second, left: 200, top: 0 }]);
  expect(await decodeImage(await both(other).png().toBuffer())).toBeNull();
  expect(await decodeImage(await both(one).png().toBuffer())).toBe('one');
});
