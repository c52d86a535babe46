import sharp from 'sharp';

interface Upload {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A small PNG to upload; vary `red` to get a different picture. */
export async function pictureBytes(name: string, red = 196): Promise<Upload> {
  const background = { r: red, g: 54, b: 31 };
  const buffer = await sharp({ create: { width: 120, height: 120, channels: 3, background } })
    .png()
    .toBuffer();
  return { name, mimeType: 'image/png', buffer };
}

/** Files that are not valid logos, each with the expected error message. */
export async function badLogos(): Promise<[upload: Upload, message: RegExp][]> {
  const { buffer } = await pictureBytes('a.png');
  const svg = (inner: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`);
  const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#fff' } })
    .png({ compressionLevel: 9 })
    .toBuffer();
  return [
    [
      { name: 'note.png', mimeType: 'image/png', buffer: Buffer.from('not a picture at all') },
      /cannot read this kind of file/,
    ],
    [{ name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) }, /damaged/],
    [{ name: 'half.png', mimeType: 'image/png', buffer: buffer.subarray(0, buffer.length - 40) }, /damaged/],
    [
      {
        name: 'large.png',
        mimeType: 'image/png',
        buffer: Buffer.concat([buffer, Buffer.alloc(5 * 1024 * 1024)]),
      },
      /larger than 2 MB/,
    ],
    [{ name: 'clear.svg', mimeType: 'image/svg+xml', buffer: svg('') }, /Nothing can be seen/],
    [
      {
        name: 'page.svg',
        mimeType: 'image/svg+xml',
        buffer: svg('<foreignObject width="9" height="9">text</foreignObject>'),
      },
      /parts that we cannot draw/,
    ],
    [{ name: 'bomb.png', mimeType: 'image/png', buffer: bomb }, /too many pixels/],
    [
      { name: 'run.svg', mimeType: 'image/svg+xml', buffer: svg('<script>alert(1)</script>') },
      /contains scripts/,
    ],
    [
      {
        name: 'far.svg',
        mimeType: 'image/svg+xml',
        buffer: svg('<image href="https://elsewhere.example/a.png"/>'),
      },
      /contains scripts/,
    ],
  ];
}
