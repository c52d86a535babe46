import pino from 'pino';
import sharp from 'sharp';
import { readLogo } from '#host/codes/logos/images';
import type { ApiError } from '#host/http/errors';

const log = pino({ level: 'silent' });

export interface DrawnLogo {
  width: number;
  height: number;
  /** Colour of the middle, as #rrggbbaa. */
  middle: string;
  /** Share of the picture that is not transparent, in percent. */
  covered: number;
}

export function logoFile(bytes: Uint8Array | string, name = 'logo'): File {
  return new File([bytes as BlobPart], name);
}

/** What the host makes of an upload. */
export async function drawnOf(upload: File): Promise<DrawnLogo> {
  const { png } = await readLogo(upload, { networks: ['192.0.2.1'] }, log);
  const { data, info } = await sharp(png)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const at = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  const seen = data.filter((value, n) => n % 4 === 3 && value > 0).length;
  return {
    width,
    height,
    middle: `#${data.subarray(at, at + 4).toString('hex')}`,
    covered: Math.round((100 * seen) / (width * height)),
  };
}

/** The code with which an upload is refused; undefined if it is not. */
export async function refusalOf(upload: File): Promise<string | undefined> {
  const error = await drawnOf(upload).then(
    () => null,
    (thrown: ApiError) => thrown,
  );
  return error ? (error.fields?.logo?.[0] ?? String(error)) : undefined;
}
