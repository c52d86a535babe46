import { gzipSync } from 'node:zlib';
import pino from 'pino';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readLogo as readLoggedLogo } from '#host/codes/logos/images';
import type { ApiError } from '#host/http/errors';

let lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
const readLogo = (upload: File, clientIp = '192.0.2.1') =>
  readLoggedLogo(upload, { networks: [clientIp] }, log);
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#c4361f80' } });
const file = (bytes: Buffer | string, name = 'logo.png') => new File([bytes as BlobPart], name);
const svg = (inner: string, open = '') =>
  file(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" ${open}>${inner}</svg>`, 'a.svg');

async function refusalOf(upload: File, address?: string): Promise<string | undefined> {
  const error = await readLogo(upload, address).then(
    () => null,
    (thrown: ApiError) => thrown,
  );
  return error?.fields?.logo?.[0];
}

test.each(['png', 'jpeg', 'webp', 'gif'] as const)(
  'a %s is redrawn as a PNG of at most 512 pixels',
  async (format) => {
    const { name, png } = await readLogo(
      file(await picture(900, 300).toFormat(format).toBuffer(), 'C:\\shop\\mark.x'),
    );
    expect(name).toBe('mark.x');
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 512, height: 171 });
  },
);

test.each([
  [6, { width: 20, height: 40 }, { top: '#cc0000', bottom: '#0000cc' }],
  [8, { width: 20, height: 40 }, { top: '#0000cc', bottom: '#cc0000' }],
  [3, { width: 40, height: 20 }, { left: '#0000cc', right: '#cc0000' }],
  [1, { width: 40, height: 20 }, { left: '#cc0000', right: '#0000cc' }],
])('a photograph with EXIF orientation %i is turned upright', async (orientation, size, sides) => {
  const half = { width: 20, height: 20, channels: 3 as const };
  const blue = await sharp({ create: { ...half, background: '#0000cc' } })
    .png()
    .toBuffer();
  const taken = await sharp({ create: { ...half, width: 40, background: '#cc0000' } })
    .composite([{ input: blue, left: 20, top: 0 }])
    .withMetadata({ orientation })
    .jpeg({ quality: 100 })
    .toBuffer();
  const { png } = await readLogo(file(taken, 'photo.jpg'));
  const { width, height } = await sharp(png).metadata();
  expect({ width, height }).toEqual(size);
  const places = {
    top: { left: 8, top: 4 },
    bottom: { left: 8, top: 34 },
    left: { left: 4, top: 8 },
    right: { left: 34, top: 8 },
  };
  for (const [side, colour] of Object.entries(sides)) {
    const { dominant } = await sharp(
      await sharp(png)
        .extract({ ...places[side as keyof typeof places], width: 2, height: 2 })
        .toBuffer(),
    ).stats();
    expect([side, dominant.r > dominant.b]).toEqual([side, colour === '#cc0000']);
  }
});

test('a small bitmap is not enlarged, an SVG is', async () => {
  const { png } = await readLogo(file(await picture(40, 40).png().toBuffer()));
  expect((await sharp(png).metadata()).width).toBe(40);
  const drawn = await readLogo(svg('<rect width="9" height="9"/>'));
  expect((await sharp(drawn.png).metadata()).width).toBe(512);
});

test('none of the uploaded bytes are kept', async () => {
  const secret = 'a comment with a secret';
  const bytes = await picture(20, 20)
    .withMetadata({ exif: { IFD0: { Copyright: secret } } })
    .jpeg()
    .toBuffer();
  expect(bytes.includes(secret)).toBe(true);
  const { png } = await readLogo(file(bytes));
  expect(Buffer.from(png).includes(secret)).toBe(false);
});

test('files that are no image, broken or have too many pixels get different errors', async () => {
  const bytes = await picture(60, 60).png().toBuffer();
  expect(await refusalOf(file('hello'))).toBe('logo_not_image');
  expect(await refusalOf(file('%PDF-1.7 something'))).toBe('logo_not_image');
  expect(await refusalOf(file(''))).toBe('logo_broken');
  expect(await refusalOf(file(bytes.subarray(0, bytes.length - 30)))).toBe('logo_broken');
  expect(await refusalOf(file(await picture(9_000, 9_000).png().toBuffer()))).toBe('logo_too_many_pixels');
});

test('the log says why a logo could not be drawn, and nothing about a valid one', async () => {
  lines = [];
  const bytes = await picture(60, 60).png().toBuffer();
  await readLogo(file(bytes));
  await readLogo(svg('<rect width="9" height="9"/>'));
  expect(lines).toEqual([]);
  expect(await refusalOf(file(bytes.subarray(0, bytes.length - 30)))).toBe('logo_broken');
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
    msg: 'a logo could not be drawn',
    reason: expect.stringMatching(/png|vips|read/i),
  });
  expect(await refusalOf(svg('<rect width="9"'))).toBe('logo_broken');
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
    msg: 'a logo could not be drawn',
    reason: expect.stringMatching(/xml|svg/i),
  });
  expect(lines).toHaveLength(2);
});

test.each([
  ['a script', svg('<script>alert(1)</script>')],
  [
    'a script with a prefix',
    svg('<drawn:script>1</drawn:script>', 'xmlns:drawn="http://www.w3.org/2000/svg"'),
  ],
  ['a handler', svg('<rect width="9" height="9" onload="x()"/>')],
  ['another file', svg('<image href="https://evil.example/x.png"/>')],
  ['a file of this machine', svg('<image href="file:///etc/passwd"/>')],
  ['a foreign style', svg('<style>@import url(https://evil.example/x.css);</style>')],
  ['a foreign style by its name alone', svg('<style>@import "https://evil.example/x.css";</style>')],
  ['a foreign style in numbers of XML', svg('<style>@&#x69;mport "https://evil.example/x.css";</style>')],
  ['a foreign style in decimal numbers', svg('<style>@&#0105;mport "https://evil.example/x.css";</style>')],
  ['a foreign style in numbers of CSS', svg('<style>@\\69 mport "https://evil.example/x.css";</style>')],
  ['a foreign style with a backslash', svg('<style>@\\import "https://evil.example/x.css";</style>')],
  ['a foreign fill in numbers of XML', svg('<rect fill="&#117;rl(https://evil.example/#a)"/>')],
  ['a foreign fill in numbers of CSS', svg('<rect style="fill: \\75rl(https://evil.example/#a)"/>')],
  ['a foreign fill', svg('<rect width="9" height="9" fill="url(https://evil.example/#a)"/>')],
  [
    'an entity',
    file(
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>&x;</text></svg>',
      'a.svg',
    ),
  ],
  [
    'a script after a long comment',
    file(
      `<!--${'x'.repeat(5_000)}--><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>1</script></svg>`,
    ),
  ],
  [
    'a script made of entities',
    file(
      '<!DOCTYPE svg [<!ENTITY a "<script>1</script>">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    ),
  ],
  [
    'an entity in another file, even if it is not used',
    file(
      '<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://evil.example/">]><svg xmlns="http://www.w3.org/2000/svg"/>',
    ),
  ],
  ['a style sheet', file('<?xml-stylesheet href="a.css"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a foreign fill made of variables', svg('<rect style="--a:url(//evil.example/#a);fill:var(--a)"/>')],
  ['a foreign fill in a variable without a value', svg('<rect fill="var(--a,url(//evil.example/#a))"/>')],
  ['a foreign font', svg('<style>@font-face{font-family:a;src:url("https://evil.example/a")}</style>')],
  ['a foreign filter', svg('<filter id="f"><feImage href="https://evil.example/a.png"/></filter>')],
  ['a foreign drawing', svg('<use href="other.svg#a"/>')],
  [
    'a script in an encoding of two bytes',
    file(Buffer.from('\ufeff<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'utf16le')),
  ],
  [
    'a script, compressed',
    file(gzipSync('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), 'a.svgz'),
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

test('an SVG of plain shapes with its own gradient is accepted', async () => {
  const inner =
    '<defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><rect width="9" height="9" fill="url(#g)"/>';
  expect(await refusalOf(svg(inner))).toBeUndefined();
});

test('an SVG may contain a photograph, under either name of its type', async () => {
  const photo = (await picture(20, 20).jpeg().toBuffer()).toString('base64');
  for (const type of ['jpeg', 'jpg']) {
    const image = `<image href="data:image/${type};base64,${photo}" width="9" height="9"/>`;
    expect(await refusalOf(svg(image))).toBeUndefined();
  }
});

test('an SVG is rendered at the stored size, however large its canvas', async () => {
  const rect = '<rect width="3000" height="1500"/>';
  const { png } = await readLogo(
    file(`<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="1500">${rect}</svg>`),
  );
  expect(await sharp(png).metadata()).toMatchObject({ width: 512, height: 256 });
  const flat = await readLogo(
    file(`<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="9">${rect}</svg>`),
  );
  expect(await sharp(flat.png).metadata()).toMatchObject({ width: 512, height: 1 });
});

test('an SVG may contain clip paths, masks, repetitions, a shadow and an image', async () => {
  const png = (await picture(20, 20).png().toBuffer()).toString('base64');
  const inner = `<defs><clipPath id="c"><circle cx="4" cy="4" r="4"/></clipPath><mask id="m"><rect width="9" height="9" fill="#fff"/></mask>
    <filter id="s"><feGaussianBlur stdDeviation="1"/></filter><rect id="r" width="2" height="2"/>
    <pattern id="p" width="1" height="1"><image href="data:image/png;base64,${png}" width="9" height="9"/></pattern></defs>
    <g clip-path="url(#c)"><use href="#r"/><use href="#r" x="3"/></g><rect mask="url(#m)" filter="url(#s)" width="9" height="9" fill="url(#p)"/>`;
  expect(await refusalOf(svg(inner))).toBeUndefined();
});

test('pixels of images inside an SVG count as well', async () => {
  const bomb = (await picture(9_000, 9_000).png().toBuffer()).toString('base64');
  const inner = `<image href="data:image/png;base64,${bomb}" width="9" height="9"/>`;
  expect(await refusalOf(svg(inner))).toBe('logo_too_many_pixels');
});

test('an SVG that takes too long to render is stopped, and does not block the next one', async () => {
  lines = [];
  expect(await refusalOf(slow())).toBe('logo_too_complex');
  expect(lines.join()).toContain('a logo was given up: too much time or memory');
  expect(await refusalOf(svg('<rect width="9" height="9"/>'))).toBeUndefined();
});

test('an upload that a busy machine does not draw in time is not the fault of the picture', async () => {
  const uploaded = readLoggedLogo(slow(), { networks: ['192.0.2.1'] }, log, 1);
  await expect(uploaded).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
});

test.each([
  ['l', 5],
  ['&#108;', 5],
  ['l', 12],
])(
  'an SVG that repeats %s over and over, %i deep, is refused without a process being killed',
  async (name, depth) => {
    const levels = Array.from(
      { length: depth },
      (_, n) => `<g id="${name}${n + 1}">${`<use href="#l${n}"/>`.repeat(10)}</g>`,
    );
    const repeated = `<defs><rect id="l0" width="9" height="9"/>${levels.join('')}</defs><use href="#l${depth}"/>`;
    lines = [];
    expect(await refusalOf(svg(repeated))).toBe('logo_too_complex');
    expect(lines).toEqual([]);
  },
);

test('too many concurrent uploads are refused as rate limited', async () => {
  // A drawing process is running after this, so that it starts on the first upload at once.
  await readLogo(svg('<rect width="9" height="9"/>'));
  const codes = await Promise.all(Array.from({ length: 9 }, () => codeOf(slow())));
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(4);
});

/** Layers of noise that take minutes to render. */
function slow(): File {
  const noise = '<filter id="f"><feTurbulence baseFrequency="0.1" numOctaves="9"/></filter>';
  return svg(noise + '<rect width="9" height="9" filter="url(#f)"/>'.repeat(5_000));
}

/** The error code with which a whole call is refused; empty if it is not. */
async function codeOf(upload: File, address?: string): Promise<string> {
  return readLogo(upload, address).then(
    () => '',
    ({ code }: ApiError) => code,
  );
}
