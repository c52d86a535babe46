import sharp from 'sharp';
import type { Pixels } from '~/codes/pictures/decode.server';

/** The pixels of a picture on white, in the format that the decoders expect. */
export async function pixelsOf(image: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(image)
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}
