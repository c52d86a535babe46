import { setPriority } from 'node:os';
import sharp from 'sharp';

/** Far beyond what an ordinary drawing takes. */
const MEMORY_BYTES = 600 * 1024 * 1024;
/** One inch, in the pixels of a drawing without a density of its own (CSS Values 4, section 6.2, at 72 dpi). */
const INCH = 72;
const BEHIND_EVERYTHING = 10;

sharp.cache(false);
sharp.concurrency(1);

process.once('disconnect', () => process.exit());
process.once('message', async ({ svg, edge, pixelLimit }) => {
  setPriority(BEHIND_EVERYTHING);
  // The drawing runs in a thread of its own, so this one can still end the process.
  setInterval(() => {
    if (process.memoryUsage.rss() > MEMORY_BYTES) process.exit(1);
  }, 20);
  const answer = await draw(Buffer.from(svg), edge, pixelLimit).catch((error) => ({ broken: String(error) }));
  process.send(answer, () => process.exit());
});
process.send('ready');

/**
 * Answers the PNG, or the code of what is wrong.
 * @param {Buffer} svg
 * @param {number} edge
 * @param {number} pixelLimit
 * @returns {Promise<Uint8Array | 'logo_too_many_pixels' | 'logo_broken'>}
 */
export async function draw(svg, edge, pixelLimit) {
  if ((await countPictures(svg.toString('utf8'))) > pixelLimit) return 'logo_too_many_pixels';
  const { format, width, height } = await sharp(svg, { limitInputPixels: false }).metadata();
  if (format !== 'svg') return 'logo_broken';
  // Drawn at the size it is kept in, however large the canvas says it is.
  const density = (INCH * edge) / Math.max(width, height);
  if (density < 1) return 'logo_too_many_pixels';
  return sharp(svg, { density, failOn: 'error', limitInputPixels: pixelLimit })
    .resize(edge, edge, { fit: 'inside' })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** Pixels of the pictures inside the drawing; throws for one that is broken. */
async function countPictures(svg) {
  let pixels = 0;
  for (const [, encoded] of svg.matchAll(/data:image\/[^;,"')]*;base64,([^"')<>]*)/gi)) {
    const bytes = Buffer.from(encoded.replace(/&#(?:9|10|13|32|x0?[9ad]|x20);|\s/gi, ''), 'base64');
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    pixels += width * height;
  }
  return pixels;
}
