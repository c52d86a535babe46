import sharp from 'sharp';

/** The most bytes that a logo is kept with. */
export const LOGO_KEPT_BYTES = 256 * 1024;
const SIDES_PX = [512, 384, 256];

/** The drawing as it is kept: with fewer colours, and then smaller, where it takes too many bytes. */
export async function fitLogo(png: Uint8Array): Promise<Uint8Array> {
  if (png.byteLength <= LOGO_KEPT_BYTES) return png;
  let fitted = png;
  for (const side of SIDES_PX) {
    fitted = await sharp(png)
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .png({ palette: true, effort: 1, compressionLevel: 9 })
      .toBuffer();
    if (fitted.byteLength <= LOGO_KEPT_BYTES) break;
  }
  return fitted;
}
