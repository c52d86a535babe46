import { DEFAULT_STYLE, MODULE_SHAPES, type Style } from '#contract/style-rules';
import { pixelsOf } from '../../app/codes/pictures/decode.server';
import { readWithAll } from '../../app/codes/pictures/decoders.server';
import { expect, test } from '../support/fixtures';

const WIDTH = 300;
/** Contained in the image itself: a random short link would make another picture in every run. */
const NETWORK = { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;' };
const GRADIENT = { gradientColour: '#a4210d', gradientAngle: 45 };
const HEART = { logoPreset: 'heart.svg' };

const LOOKS: [name: string, style: Partial<Style>, fields?: { logoPreset: string }][] = [
  ...MODULE_SHAPES.map((moduleShape): [string, Partial<Style>] => [moduleShape, { moduleShape }]),
  ['a gradient', GRADIENT],
  ['a frame with a caption', { frame: 'ticket', caption: 'Scan for the menu', frameColour: '#1c5a39' }],
  ['a logo', {}, HEART],
  [
    'everything at once',
    { ...GRADIENT, moduleShape: 'rounded', ringShape: 'rounded', frame: 'badge', caption: 'Menu' },
    HEART,
  ],
];

for (const [name, style, fields] of LOOKS) {
  test(`all decoders read an SVG file as Chromium shows it: ${name}`, async ({ page, signIn, factories }) => {
    const account = await signIn();
    const code = await factories.code(account, {
      ...NETWORK,
      ...fields,
      style: { ...DEFAULT_STYLE, ...style },
    });
    const file = await page.request.get(`/user/qrcodes/${code.id}/download?format=svg&size=${WIDTH}`);
    expect(file.headers()['content-type']).toBe('image/svg+xml');
    const body = await file.body();
    const [, height = '0'] = /<svg[^>]* height="([\d.]+)"/.exec(body.toString()) ?? [];
    // Opened as a document of its own, without the headers of a download.
    const address = 'https://files.example/code.svg';
    await page.route(address, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    await page.setViewportSize({ width: WIDTH, height: Math.ceil(Number(height)) });
    await page.goto(address);
    const shown = await pixelsOf(await page.screenshot({ scale: 'css' }), WIDTH);
    expect(shown.width).toBe(WIDTH);
    const { content } = NETWORK;
    expect(await readWithAll(shown)).toEqual({ zxing: content, zbar: content, jsqr: content });
  });
}
