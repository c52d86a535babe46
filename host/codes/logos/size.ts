import sharp from 'sharp';

/** Maximum size of a stored logo. */
export const STORED_LOGO_BYTES = 256 * 1024;
const SIDES_PX = [512, 384, 256];

/** The logo as stored: with fewer colours, and then smaller, if it takes too many bytes. */
export async function fitLogo(png: Uint8Array): Promise<Uint8Array> {
  if (png.byteLength <= STORED_LOGO_BYTES) return png;
  let fitted = png;
  for (const side of SIDES_PX) {
    fitted = await sharp(png)
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .png({ palette: true, effort: 1, compressionLevel: 9 })
      .toBuffer();
    if (fitted.byteLength <= STORED_LOGO_BYTES) break;
  }
  return fitted;
}
