import { scanRGBABuffer } from '@undecaf/zbar-wasm';
import jsQR from 'jsqr';
import sharp from 'sharp';
import { decodePixels, type Pixels } from '~/codes/pictures/decode.server';

type Decoder = 'zxing' | 'jsqr' | 'zbar';

/** The pixels of a picture over white, as the decoders take them. */
export async function pixelsOf(image: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(image)
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

function utf8(bytes: Iterable<number>): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

async function readZbar({ data, width, height }: Pixels): Promise<string | null> {
  const [symbol] = await scanRGBABuffer(new Uint8Array(data).buffer, width, height);
  return symbol ? utf8(symbol.data) : null;
}

function readJsqr({ data, width, height }: Pixels): string | null {
  const found = jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' });
  return found ? utf8(found.binaryData) : null;
}

/** What three unrelated decoders read from one picture. */
export async function readWithAll(pixels: Pixels): Promise<Record<Decoder, string | null>> {
  return { zxing: await decodePixels(pixels), jsqr: readJsqr(pixels), zbar: await readZbar(pixels) };
}
