import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readLogo } from '#host/codes/logo-images';
import type { ApiError } from '#host/http/errors';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#c4361f80' } });
const file = (bytes: Buffer | string, name = 'logo.png') => new File([bytes as BlobPart], name);
const svg = (inner: string, open = '') =>
  file(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" ${open}>${inner}</svg>`, 'a.svg');

async function refusalOf(upload: File): Promise<string | undefined> {
  const error = await readLogo(upload).then(
    () => null,
    (thrown: ApiError) => thrown,
  );
  return error?.fields?.logo?.[0];
}

test.each(['png', 'jpeg', 'webp', 'gif'] as const)(
  'a %s is drawn anew as a PNG of at most 512 pixels',
  async (format) => {
    const { name, png } = await readLogo(
      file(await picture(900, 300).toFormat(format).toBuffer(), 'C:\\shop\\mark.x'),
    );
    expect(name).toBe('mark.x');
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 512, height: 171 });
  },
);

test('a small picture is not enlarged, a drawing is', async () => {
  const { png } = await readLogo(file(await picture(40, 40).png().toBuffer()));
  expect((await sharp(png).metadata()).width).toBe(40);
  const drawn = await readLogo(svg('<rect width="9" height="9"/>'));
  expect((await sharp(drawn.png).metadata()).width).toBe(512);
});

test('nothing of the uploaded bytes is kept', async () => {
  const secret = 'a comment with a secret';
  const bytes = await picture(20, 20)
    .withMetadata({ exif: { IFD0: { Copyright: secret } } })
    .jpeg()
    .toBuffer();
  expect(bytes.includes(secret)).toBe(true);
  const { png } = await readLogo(file(bytes));
  expect(Buffer.from(png).includes(secret)).toBe(false);
});

test('what is no image, broken or too large in pixels is told apart', async () => {
  const bytes = await picture(60, 60).png().toBuffer();
  expect(await refusalOf(file('hello'))).toBe('logo_not_image');
  expect(await refusalOf(file('%PDF-1.7 something'))).toBe('logo_not_image');
  expect(await refusalOf(file(''))).toBe('logo_not_image');
  expect(await refusalOf(file(bytes.subarray(0, bytes.length - 30)))).toBe('logo_broken');
  expect(await refusalOf(file(await picture(9_000, 9_000).png().toBuffer()))).toBe('logo_too_many_pixels');
});

test.each([
  ['a script', svg('<script>alert(1)</script>')],
  ['a handler', svg('<rect width="9" height="9" onload="x()"/>')],
  ['another file', svg('<image href="https://evil.example/x.png"/>')],
  ['a file of this machine', svg('<image href="file:///etc/passwd"/>')],
  ['a foreign style', svg('<style>@import url(https://evil.example/x.css);</style>')],
  ['a foreign fill', svg('<rect width="9" height="9" fill="url(https://evil.example/#a)"/>')],
  ['HTML', svg('<foreignObject><p>x</p></foreignObject>')],
  [
    'an entity',
    file(
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>&x;</text></svg>',
      'a.svg',
    ),
  ],
  [
    'a script link',
    svg(
      '<a xlink:href="javascript:alert(1)"><rect width="9" height="9"/></a>',
      'xmlns:xlink="http://www.w3.org/1999/xlink"',
    ),
  ],
])('an SVG with %s is refused', async (_, upload) => {
  expect(await refusalOf(upload)).toBe('logo_unsafe');
});

test('an SVG of plain shapes with its own gradient is welcome', async () => {
  const inner =
    '<defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><rect width="9" height="9" fill="url(#g)"/>';
  expect(await refusalOf(svg(inner))).toBeUndefined();
});
