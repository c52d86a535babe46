import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { DECODERS } from '~/codes/look/scan-report';
import { pixelsOf } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';

// Calibrates our decoders on other people's photographs: `npx tsx bench/photos.ts FOLDER…`. A folder contains pictures,
// and the text of each in a file of the same name.

const PICTURES = ['.png', '.jpg', '.webp'];

for (const folder of process.argv.slice(2)) {
  const photos = readdirSync(folder)
    .filter((file) => PICTURES.includes(extname(file)))
    .map((file) => ({ file, text: join(folder, `${basename(file, extname(file))}.txt`) }))
    .filter(({ text }) => existsSync(text));
  const read = { zxing: 0, zbar: 0, jsqr: 0, any: 0 };
  const misread: string[] = [];
  for (const { file, text } of photos) {
    const wanted = plain(readFileSync(text, 'utf8'));
    const texts = await readWithAll(await pixelsOf(readFileSync(join(folder, file)), 0));
    const readers = DECODERS.filter((decoder) => texts[decoder] !== null && plain(texts[decoder]) === wanted);
    for (const decoder of readers) read[decoder] += 1;
    if (readers.length > 0) read.any += 1;
    for (const decoder of DECODERS) {
      if (texts[decoder] !== null && !readers.includes(decoder)) misread.push(`${decoder} ${file}`);
    }
  }
  process.stdout.write(
    `${basename(folder)} ${photos.length} ${JSON.stringify(read)}, misread: ${misread.join(', ')}\n`,
  );
}

function plain(text: string): string {
  return text.replace(/\r\n/g, '\n').trimEnd();
}
