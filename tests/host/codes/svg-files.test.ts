import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawnOf, logoFile, refusalOf } from './drawn-logo';

const NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"';
const RED = '#cc0000ff';
const SQUARE = '<rect width="32" height="32" fill="#c00"/>';
const svg = (inner: string, attributes = 'viewBox="0 0 32 32"') =>
  `<svg ${NAMESPACE} ${attributes}>${inner}</svg>`;
const declared = (declaration: string) => `<?xml ${declaration}?>${svg(`<title>Café</title>${SQUARE}`)}`;
const wide = (text: string) => Buffer.from(text, 'utf16le');

test.each<[string, Uint8Array | string]>([
  ['UTF8', declared('version="1.0" encoding="UTF8"')],
  ['utf-8, with a byte order mark', `\ufeff${declared('version="1.0" encoding="utf-8"')}`],
  ['no declared encoding', svg(`<title>Café</title>${SQUARE}`)],
  ['ISO 8859-1', Buffer.from(declared('version="1.0" encoding = "ISO-8859-1"'), 'latin1')],
  ['windows-1252', Buffer.from(declared("version='1.0' encoding='windows-1252'"), 'latin1')],
  ['another encoding than it declares', Buffer.from(declared('version="1.0" encoding="utf-8"'), 'latin1')],
  ['UTF-8 declared as UTF-16', declared('version="1.0" encoding="UTF-16"')],
  ['UTF-8 declared as an unknown encoding', declared('version="1.0" encoding="x-mac-klingon"')],
  ['UTF-16, little-endian', wide(`\ufeff${declared('version="1.0" encoding="UTF-16"')}`)],
  ['UTF-16, big-endian', wide(`\ufeff${declared('version="1.0" encoding="UTF-16"')}`).swap16()],
  ['UTF-16 without a byte order mark', wide(declared('version="1.0" encoding="utf-16le"'))],
  ['UTF-16 without a mark, big-endian', wide(declared('version="1.0"')).swap16()],
  ['space before its declaration', `\n  ${declared('version="1.0" encoding="utf-8"')}`],
  ['a comment before its declaration', `<!-- a > b -->${declared('version="1.0" encoding="utf-8"')}`],
  ['version 1.1 of XML', declared('version="1.1" encoding="utf-8" standalone="no"')],
  ['a compressed file', gzipSync(declared('version="1.0" encoding="utf-8"'))],
])('an SVG in %s is drawn', async (_, bytes) => {
  const drawn = await drawnOf(logoFile(bytes, 'logo.svg'));
  expect(drawn).toEqual({ width: 512, height: 512, middle: RED, covered: 100 });
});

const box = (width: string, height = width, at = '0') =>
  `<rect x="${at}" y="${at}" width="${width}" height="${height}" fill="#c00"/>`;

test.each([
  ['a huge box', 'viewBox="0 0 100000 50000"', box('100000', '50000'), [512, 256]],
  ['a tiny box', 'viewBox="0 0 0.1 0.1"', box('0.1'), [512, 512]],
  ['a box that does not begin at zero', 'viewBox="-16 -16 32 32"', box('32', '32', '-16'), [512, 512]],
  ['commas in its box', 'viewBox=" 0,0, 3.2e1 32 "', SQUARE, [512, 512]],
  ['sizes in percent', 'width="100%" height="100%" viewBox="0 0 32 16"', SQUARE, [512, 256]],
  ['a width alone', 'width="64" viewBox="0 0 32 16"', SQUARE, [512, 256]],
  ['millimetres', 'width="20mm" height="10mm" viewBox="0 0 32 16"', SQUARE, [512, 256]],
  ['points and inches', 'width="72pt" height="1in" viewBox="0 0 32 32"', SQUARE, [512, 512]],
  ['em', 'width="1em" height="2em" viewBox="0 0 16 32"', SQUARE, [256, 512]],
  ['sizes in its style', 'width="9" style="width:32px;height:16px" viewBox="0 0 32 16"', SQUARE, [512, 256]],
  ['no box', 'width="32" height="16"', SQUARE, [512, 256]],
  ['no box, in centimetres', 'width="1cm" height="1cm"', box('1cm'), [512, 512]],
  ['neither box nor size', '', box('32', '16', '100'), [512, 256]],
  ['neither box nor size, left of zero', '', box('32', '16', '-20'), [512, 256]],
  ['a box of no size', 'viewBox="0 0 0 0" width="32" height="32"', SQUARE, [512, 512]],
  ['a box of words', 'viewBox="none"', SQUARE, [512, 512]],
  [
    'a size of more than 30,000 pixels',
    'width="60000" height="30000" viewBox="0 0 32 16"',
    SQUARE,
    [512, 256],
  ],
])('an SVG with %s is drawn whole', async (_, attributes, inner, [width, height]) => {
  expect(await drawnOf(logoFile(svg(inner, attributes)))).toEqual({
    width,
    height,
    middle: RED,
    covered: 100,
  });
});

test('millimetres within a drawing are as long as in a browser', async () => {
  // 96 pixels.
  const { covered } = await drawnOf(logoFile(svg(box('25.4mm'), 'viewBox="0 0 192 96"')));
  expect(covered).toBe(50);
});

type Format = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif';
const picture = () => sharp({ create: { width: 4, height: 4, channels: 3, background: '#cc0000' } });
const base64 = async (format: Format) => (await picture().toFormat(format).toBuffer()).toString('base64');
const image = (href: string) => svg(`<image width="32" height="32" href="${href}"/>`);

test.each(['png', 'jpeg', 'webp', 'gif'] as const)('a %s in an SVG is drawn', async (format) => {
  const data = await base64(format);
  const lines = data.replace(/.{20}/g, '$&&#10;\n');
  for (const href of [
    `data:image/${format};base64,${data}`,
    `data:;base64,${lines}`,
    `DATA:x/y;a=b;base64, ${data}`,
  ]) {
    const { middle, covered } = await drawnOf(logoFile(image(href)));
    expect({ red: Number.parseInt(middle.slice(1, 3), 16), covered }).toEqual({ red: 204, covered: 100 });
  }
});

test('a picture in an SVG is turned upright, and its colours are converted', async () => {
  const blue = { create: { width: 20, height: 20, channels: 3 as const, background: '#0000cc' } };
  const turned = await sharp({ create: { ...blue.create, width: 40, background: '#cc0000' } })
    .composite([{ input: blue, left: 20, top: 0 }])
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const upper = `<image width="32" height="64" href="data:image/jpeg;base64,${turned.toString('base64')}"/>`;
  const { middle } = await drawnOf(logoFile(svg(upper)));
  expect(Number.parseInt(middle.slice(1, 3), 16)).toBeGreaterThan(200);
  const cmyk = await picture().toColourspace('cmyk').jpeg().toBuffer();
  const href = `data:image/jpeg;base64,${cmyk.toString('base64')}`;
  expect((await drawnOf(logoFile(image(href)))).middle).toMatch(/^#[b-d].[0-3].[0-3].ff$/);
});

test('an SVG in an SVG is drawn by the same rules, but none within that', async () => {
  const nested = (inner: string) => `data:image/svg+xml;base64,${Buffer.from(inner).toString('base64')}`;
  const plain = svg('<style>rect{fill:var(--a,#c00)}</style><rect width="32" height="32"/>');
  expect(await drawnOf(logoFile(image(nested(plain))))).toMatchObject({ middle: RED, covered: 100 });
  const percent = `data:image/svg+xml,${encodeURIComponent(plain)}`;
  expect(await drawnOf(logoFile(image(percent)))).toMatchObject({ middle: RED, covered: 100 });
  expect(await refusalOf(logoFile(image(nested(svg('<script/>')))))).toBe('logo_unsafe');
  expect(await refusalOf(logoFile(image(nested(image(nested(plain))))))).toBe('logo_undrawable');
});

const laughs = (levels: number) => {
  const entities = Array.from({ length: levels }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`);
  return `<!DOCTYPE svg [<!ENTITY e0 "ha">${entities.join('')}]>${svg(`<title>&e${levels};</title>${SQUARE}`)}`;
};
const variables = (levels: number) => {
  const set = Array.from({ length: levels }, (_, n) => `--v${n + 1}:${`var(--v${n}) `.repeat(10)};`);
  return svg(
    `<rect width="32" height="32" style="--v0:a;${set.join('')}fill:var(--v${levels},#c00)"/>${SQUARE}`,
  );
};
const textIn = (css: string, attributes: string) =>
  svg(`<style>${css}</style>${SQUARE}<text y="20" ${attributes}>a</text>`);
const EMBEDDED = '@font-face{font-family:"Brand";src:url(data:font/woff2;base64,AAAA)}';

test.each<[string, string, Promise<string> | string | Uint8Array]>([
  [
    'HTML',
    'logo_undrawable',
    svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject>'),
  ],
  [
    'a picture of HTML',
    'logo_undrawable',
    svg('<foreignObject><img xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
  ],
  ['HTML without a substitute', 'logo_undrawable', svg('<switch><foreignObject>a</foreignObject></switch>')],
  ['text in an embedded font', 'logo_undrawable', textIn(EMBEDDED, 'font-family="serif, brand"')],
  ['text in a font embedded for a style', 'logo_undrawable', textIn(`${EMBEDDED}text{font:9px 'Brand'}`, '')],
  ['an AVIF', 'logo_undrawable', base64('avif').then((data) => image(`data:image/avif;base64,${data}`))],
  [
    'a shape cut out in its style',
    'logo_undrawable',
    svg('<rect width="32" height="32" style="clip-path:circle(9px)"/>'),
  ],
  [
    'a turn about the middle of a shape',
    'logo_undrawable',
    svg(
      '<rect width="9" height="9" style="transform:rotate(9deg);transform-origin:50% 50%;transform-box:fill-box"/>',
    ),
  ],
  [
    'a size that depends on another',
    'logo_undrawable',
    svg('<rect style="width:calc(50% - 1px);height:9px"/>'),
  ],
  ['a damaged picture', 'logo_broken', image('data:image/png;base64,iVBORw0KGgo=')],
  ['nothing', 'logo_empty', svg('')],
  ['nothing and no size', 'logo_empty', svg('', '')],
  ['nothing that is filled', 'logo_empty', svg('<rect width="32" height="32" fill="none"/>')],
  ['everything outside its box', 'logo_empty', svg('<rect x="40" width="32" height="32"/>')],
  ['everything hidden', 'logo_empty', svg(SQUARE, 'viewBox="0 0 32 32" display="none"')],
  ['its end missing', 'logo_broken', svg(SQUARE).slice(0, -8)],
  ['a tag that is not closed', 'logo_broken', svg('<g>')],
  ['an unknown entity', 'logo_broken', svg('&none;')],
  [
    'an entity within itself',
    'logo_broken',
    `<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>${svg('&a;')}`,
  ],
  ['entities that multiply', 'logo_too_complex', laughs(9)],
  ['variables that multiply', 'logo_too_complex', variables(9)],
  ['brackets in brackets', 'logo_too_complex', svg(`<rect fill="${'rgb('.repeat(10_000)}"/>`)],
  ['more levels than the renderer reads', 'logo_too_complex', svg('<g>'.repeat(255) + '</g>'.repeat(255))],
  ['much text in a small file', 'logo_too_complex', gzipSync(svg(`<!--${' '.repeat(5_000_000)}-->`))],
  ['nothing but text, compressed', 'logo_not_image', gzipSync('x'.repeat(5_000_000))],
  ['the end of its compressed data missing', 'logo_broken', gzipSync(svg(SQUARE)).subarray(0, -9)],
])('an SVG with %s is refused as %s', async (_, code, content) => {
  expect(await refusalOf(logoFile(await content, 'logo.svg'))).toBe(code);
});

test('entities, variables and levels within the limits are drawn', async () => {
  const texts = [
    laughs(5),
    variables(2),
    svg('<g>'.repeat(253) + SQUARE + '</g>'.repeat(253)),
    textIn(EMBEDDED, 'font-family="Brandon, serif"'),
  ];
  for (const text of texts) expect((await drawnOf(logoFile(text))).covered).toBe(100);
});
