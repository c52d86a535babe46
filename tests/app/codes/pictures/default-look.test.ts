import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawCode, svgOf } from '~/codes/pictures/code-image';
import { pdfOf } from '~/codes/pictures/code-pdf.server';
import { pngOf, squareLogo } from '~/codes/pictures/code-png.server';

// Codes without a style have already been printed, so drawing them again must give the same picture.

const logo = await squareLogo(
  await sharp({ create: { width: 64, height: 64, channels: 4, background: '#a4210d' } })
    .png()
    .toBuffer(),
);

/** SHA-256 of the drawings made before codes had styles; the last one was drawn again to declare its encoding. */
const DRAWN_BEFORE = [
  {
    payload: 'HTTPS://QUADRILLE.EXAMPLE/R/7K3M9QXD',
    hasLogo: false,
    isRound: false,
    path: '738d7dd38a49b93812489be36d9e9c68e93e982887584ec086282b881eaa57a1',
    svg: '82162ebcfdc3adf0392545733ca35e10733e533736e630a0e1076891cbe85a5f',
    png: '6650b4426d3f25e51be8f856d5e3b90a5f75687e2a4f8e70434731749aaa4651',
    pdf: '47c6309d99aae39cbd082808dfd6605f53a188fd97a25b60c0ada6209f910f52',
  },
  {
    payload: 'HTTPS://QUADRILLE.EXAMPLE/R/7K3M9QXD',
    hasLogo: true,
    isRound: true,
    path: 'b4fc76bd05ea9acc054b7cbbee2b3ba5021c811a9883e733f8e213abd555e0a2',
    svg: 'b2151039e9be008c4434dbc4dd8e791653f2f14a51da7363c69bde6a910fb9fd',
    png: 'fe73c3beb999d2cdcbe8e5e530c949fbcf3c38149f58286559bf122bb1206a01',
    pdf: 'bba16af330db3dc49301be046fedc0aebface8024fbb0dc954fcff6ea3cec6b0',
  },
  {
    payload: 'x'.repeat(255),
    hasLogo: true,
    isRound: false,
    path: '8e9f1d9f92e5a4e94b0664393341214e0959b21b5a40e3b93c170faffd51aaec',
    svg: 'e73b6ec66059a5a27abd602c9ec31d9b52c909e8fd495b7f6b718e6af57de609',
    png: '42f0375ea5234b1ab1b7dad4169b67b261daa9074f917c3e5bb337e710406153',
    pdf: 'f2cfce77c8e06a3b1c41fd30154d8ca8ceaba6bf234b7cd8a3cd81e21e036a70',
  },
  {
    payload: 'é😀'.repeat(40),
    hasLogo: false,
    isRound: false,
    path: 'e4ca755e7a3a99b6cedd957b9ee92fc7a97a409075ba0a6a08a11092d8b34e82',
    svg: '4d41d817ab507b2cda8ce8b5f41811c7e9b351216d08eb8b21daa4bac4a88b0e',
    png: '0bbb1d3a820ed55dd545d500848f52d10cd718fe5ae7e073e92994e5605a4587',
    pdf: 'ce293179335a4aa40f7dd4e8167bb647f682bc7e5ddef75ff4d458c040cfeeef',
  },
];

test.each(DRAWN_BEFORE)(
  'a code without a style is drawn in the default look',
  async ({ payload, hasLogo, isRound, ...kept }) => {
    const drawing = drawCode(payload, {
      logoHref: hasLogo ? 'data:,' : undefined,
      useWhiteBackground: isRound,
    });
    const png = await pngOf(drawing, 500, hasLogo ? logo : undefined);
    expect({
      path: hash(drawing.path),
      svg: hash(withoutXlink(svgOf(drawing, { px: 400, title: 'Menu' }))),
      png: hash(await sharp(png).raw().toBuffer()),
      pdf: hash(contentsOf(await pdfOf(drawing, 40, { logo: hasLogo ? logo : undefined, title: 'Menu' }))),
    }).toEqual(kept);
  },
);

/** The SVG as it was before it had an address for older editors as well. */
function withoutXlink(svg: string): string {
  return svg.replace(/ (?:xmlns:xlink|xlink:href)="[^"]*"/g, '');
}

function hash(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Every object of a PDF with its streams decompressed, because compression differs between machines. */
function contentsOf(pdf: Buffer): string {
  const text = pdf.toString('latin1');
  return text
    .replace(/startxref\n\d+|\/Length \d+|^\d{10} \d{5} [nf] $/gm, '')
    .replace(/stream\n([\s\S]*?)\nendstream/g, (stream, packed: string) => {
      const bytes = Buffer.from(packed, 'latin1');
      return bytes[0] === 0x78 ? inflateSync(bytes).toString('latin1') : stream;
    });
}
