import { create } from 'qrcode/lib/core/qrcode.js';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { drawCode } from '~/codes/pictures/code-image';
import { pngOf } from '~/codes/pictures/code-png.server';
import { isProven } from '~/codes/pictures/file-proof.server';
import { pixelsOf } from './pixels';

/** A symbol that does not declare its encoding. */
async function undeclared(text: string) {
  const { data, size } = create(text, { errorCorrectionLevel: 'H' }).modules;
  const modules = sharp(
    data.map((dark) => (dark ? 0 : 255)),
    { raw: { width: size, height: size, channels: 1 } },
  );
  const image = modules.resize(8 * size, 8 * size, { kernel: 'nearest' });
  const [top, left, bottom, right] = [32, 32, 32, 32];
  return pixelsOf(await image.extend({ top, left, bottom, right, background: '#fff' }).png().toBuffer());
}

test.each(['Café', 'Gäste-WLAN', '½ €'])(
  'a file with %j is handed out only if no decoder takes it for another text',
  async (text) => {
    const drawing = drawCode(text, {});
    const declared = async () => pixelsOf(await pngOf(drawing, 300));
    expect(await isProven(drawing, text, declared)).toBe(true);
    expect(await isProven(drawing, text, () => undeclared(text))).toBe(false);
  },
);

test('a decoder that finds no code does not refuse a plain one, and none is asked about ASCII', async () => {
  const blank = { data: new Uint8Array(4 * 90 * 90).fill(255), width: 90, height: 90 };
  const proof = vi.fn(async () => blank);
  expect(await isProven(drawCode('Café', {}), 'Café', proof)).toBe(true);
  expect(proof).toHaveBeenCalledOnce();
  expect(await isProven(drawCode('Cafe', {}), 'Cafe', proof)).toBe(true);
  expect(proof).toHaveBeenCalledOnce();
});

test('neither a file nor a sheet is made of a code that a decoder takes for another text', async () => {
  vi.resetModules();
  const { data } = create('Café', { errorCorrectionLevel: 'H' }).modules;
  vi.doMock('~/codes/pictures/best-mask', () => ({
    withBestMask: () => new Uint8Array(data),
    withMask: () => new Uint8Array(data),
  }));
  const { makeFile } = await import('~/codes/pictures/code-files.server');
  const { makeSheet } = await import('~/codes/pictures/sheet-pdf.server');
  const labels = [{ payload: 'Café', name: '', action: '', symbol: {} }];
  const sheet = { layout: 'a4-24', start: 1, hasCutMarks: false, title: 'Menu' } as const;
  for (const format of ['png', 'svg', 'pdf'] as const) {
    const size = format === 'pdf' ? 40 : 600;
    await expect(makeFile({ payload: 'Café', format, size })).rejects.toThrow('No drawing read back');
  }
  await expect(makeSheet({ ...sheet, labels })).rejects.toThrow('No drawing read back');
});
