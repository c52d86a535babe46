import sharp from 'sharp';
import { INK, PAPER } from '#contract/style-rules';
import { boxOf, type CodeDrawing, svgOf, withGround } from '~/codes/pictures/code-image';
import { widen } from '~/codes/pictures/styled-drawing';

const LOGO_LIMIT = 512;
/** Pixels per inch that files declare: programs for layout take it for the size in print. */
const DENSITY = 300;
const DENSITY_BYTES = DENSITY.toString(16).padStart(4, '0');
/** The segment of a JPEG that declares it, without a thumbnail (JFIF 1.02). */
const JFIF = Buffer.from(`ffe000104a46494600010201${DENSITY_BYTES}${DENSITY_BYTES}0000`, 'hex');
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };
const INK_BYTES = Buffer.from(INK.slice(1), 'hex');

/**
 * A logo of any shape as a square, eight-bit PNG of at most 512 px, which every file format can embed; an SVG, which
 * must be one of our presets, is drawn at that size.
 */
export async function squareLogo(logo: Uint8Array): Promise<Buffer> {
  const { format, width, height } = await sharp(logo).metadata();
  const longer = Math.max(width, height);
  const side = format === 'svg' ? LOGO_LIMIT : Math.min(LOGO_LIMIT, longer);
  return sharp(logo, format === 'svg' ? { density: (72 * side) / longer } : {})
    .resize(side, side, { fit: 'contain', background: CLEAR })
    .toColourspace('srgb')
    .ensureAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}

function modulePixels({ modules, size }: CodeDrawing): Buffer {
  const pixels = Buffer.alloc(size * size * 3, 0xff);
  for (let index = 0; index < modules.length; index++) {
    if (modules[index] === 1) INK_BYTES.copy(pixels, index * 3);
  }
  return pixels;
}

/**
 * A PNG exactly `width` pixels wide: every module takes the same whole number of pixels, and the rest goes to the white
 * margin. Throws RangeError when the modules do not fit.
 */
export async function pngOf(
  drawing: CodeDrawing,
  width: number,
  logo?: Buffer,
  inset?: number,
): Promise<Buffer> {
  if (drawing.look) return styledPng(drawing, { width, logo, inset });
  const { size } = drawing;
  const scale = Math.floor(width / size);
  if (scale < 1) throw new RangeError(`${size} modules need more than ${width} pixels`);
  const spare = width - scale * size;
  const before = Math.floor(spare / 2);
  const after = spare - before;
  const image = sharp(modulePixels(drawing), { raw: { width: size, height: size, channels: 3 } })
    .resize(scale * size, scale * size, { kernel: 'nearest' })
    .extend({ top: before, left: before, bottom: after, right: after, background: '#fff' });
  if (!logo || !drawing.logo) {
    return image.withDensity(DENSITY).png({ palette: true, colours: 2, dither: 0, effort: 1 }).toBuffer();
  }
  const side = Math.max(1, Math.round(drawing.logo.size * scale));
  const corner = before + Math.round(drawing.logo.x * scale);
  const input = await sharp(logo).resize(side, side, { fit: 'contain', background: CLEAR }).png().toBuffer();
  return image
    .composite([{ input, left: corner, top: corner }])
    .removeAlpha()
    .withDensity(DENSITY)
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** A JPEG of the same width as `pngOf`, without chroma subsampling. */
export async function jpegOf(
  drawing: CodeDrawing,
  width: number,
  logo?: Buffer,
  inset?: number,
): Promise<Buffer> {
  const image = drawing.look
    ? (await paintLook(withGround(drawing), { width, logo, inset })).image
    : sharp(await pngOf(drawing, width, logo));
  const jpeg = await image
    .flatten({ background: PAPER })
    .removeAlpha()
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const start = 2;
  return Buffer.concat([jpeg.subarray(0, start), JFIF, jpeg.subarray(start)]);
}

/** Share of the width that may be left over for whole-pixel modules when their edges are antialiased anyway. */
const MAX_SPARE = 0.08;

/** `inset` is the number of modules left free across, for a scale of its own; without it, modules are whole pixels. */
interface Painting {
  width: number;
  logo: Buffer | undefined;
  inset: number | undefined;
}

async function styledPng(drawing: CodeDrawing, painting: Painting): Promise<Buffer> {
  const { image, isOpaque } = await paintLook(drawing, painting);
  const opaque = isOpaque ? image.removeAlpha() : image;
  return opaque.withDensity(DENSITY).png({ compressionLevel: 6 }).toBuffer();
}

/** A look, `width` pixels wide: leftover pixels go between the symbol and its frame. */
async function paintLook(drawing: CodeDrawing, { width, logo, inset }: Painting) {
  const { look } = drawing;
  const natural = boxOf(drawing).width;
  let scale = Math.floor(width / natural);
  if (scale < 1) throw new RangeError(`${natural} modules need more than ${width} pixels`);
  const isSquare = look?.layers.some(({ part, isCrisp }) => part === 'modules' && isCrisp);
  if (inset !== undefined) scale = width / (natural + inset);
  else if (!isSquare && width - scale * natural > MAX_SPARE * width) scale = width / natural;
  const spare = Math.round(width - scale * natural);
  const before = Math.floor(spare / 2) / scale;
  const after = Math.ceil(spare / 2) / scale;
  const wide = widen(
    { ...drawing, logo: undefined },
    { left: before, top: before, right: after, bottom: after },
  );
  const image = sharp(Buffer.from(svgOf(wide, { px: width })));
  const isOpaque = look?.isTransparent !== true && !drawing.frame;
  if (!logo || !drawing.logo) return { image, isOpaque };
  const { x, y } = boxOf(wide);
  const side = Math.max(1, Math.round(drawing.logo.size * scale));
  const input = await sharp(logo).resize(side, side, { fit: 'contain', background: CLEAR }).png().toBuffer();
  const [left, top] = [Math.round((drawing.logo.x - x) * scale), Math.round((drawing.logo.y - y) * scale)];
  return { image: image.composite([{ input, left, top }]), isOpaque };
}

const THUMBNAIL_LOGO_PIXELS = 48;

/** A logo at the size used in lists. */
export async function shrinkLogo(png: Uint8Array): Promise<Uint8Array> {
  const size = THUMBNAIL_LOGO_PIXELS;
  return sharp(png).resize(size, size, { fit: 'inside' }).png({ compressionLevel: 9 }).toBuffer();
}
