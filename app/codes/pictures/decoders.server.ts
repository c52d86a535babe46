import { scanRGBABuffer, ZBarConfigType, ZBarScanner, ZBarSymbolType } from '@undecaf/zbar-wasm';
import jsQR from 'jsqr';
import { DECODERS, type Decoder } from '~/codes/look/scan-report';
import { decodePixels, type Pixels } from './decode.server';

/** Looks for QR codes only; all else is what ZBar does by default, such as guessing an encoding that is not declared. */
async function openScanner(): Promise<ZBarScanner> {
  const scanner = await ZBarScanner.create();
  scanner.setConfig(ZBarSymbolType.ZBAR_NONE, ZBarConfigType.ZBAR_CFG_ENABLE, 0);
  scanner.setConfig(ZBarSymbolType.ZBAR_QRCODE, ZBarConfigType.ZBAR_CFG_ENABLE, 1);
  return scanner;
}

async function readWithZbar({ data, width, height }: Pixels): Promise<string | null> {
  const bytes = new Uint8Array(data).buffer;
  // ZBar uses random numbers: with a shared scanner, a result would depend on the pictures before it.
  const scanner = await openScanner();
  try {
    const symbols = await scanRGBABuffer(bytes, width, height, scanner);
    const texts = new Set(symbols.map((symbol) => symbol.decode()));
    const [text = null] = texts;
    return texts.size === 1 ? text : null;
  } finally {
    scanner.destroy();
  }
}

function readWithJsqr({ data, width, height }: Pixels): string | null {
  const clamped = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  const found = jsQR(clamped, width, height, { inversionAttempts: 'dontInvert' });
  return found?.data ?? null;
}

/** What three unrelated decoders read from one picture; null for no code, or for codes that differ. */
export async function readWithAll(pixels: Pixels): Promise<Record<Decoder, string | null>> {
  return {
    zxing: await decodePixels(pixels),
    zbar: await readWithZbar(pixels),
    jsqr: readWithJsqr(pixels),
  };
}

/** The decoders that do not read exactly the payload from a picture. */
export async function missedBy(pixels: Pixels, payload: string): Promise<Decoder[]> {
  const texts = await readWithAll(pixels);
  return DECODERS.filter((decoder) => texts[decoder] !== payload);
}

export async function isReadByAll(pixels: Pixels, payload: string): Promise<boolean> {
  return (await missedBy(pixels, payload)).length === 0;
}

/** The decoders that read another text than the payload. */
export async function misreadBy(pixels: Pixels, payload: string): Promise<Decoder[]> {
  const texts = await readWithAll(pixels);
  return DECODERS.filter((decoder) => texts[decoder] !== null && texts[decoder] !== payload);
}
