import sharp from 'sharp';
import { expect, test } from 'vitest';
import { CORNER_SHAPES, DEFAULT_STYLE, FRAMES, MODULE_SHAPES, type Style } from '#contract/style-rules';
import { boxOf, CodeTooLongError, drawCode, svgOf } from '~/codes/pictures/code-image';
import { decodeImage } from '~/codes/pictures/decode.server';
import { drawStyled, measureStyled } from '~/codes/pictures/styled-drawing';

const SCAN_ADDRESS = 'https://QUADRILLE.EXAMPLE/R/7K3M9QXD';

function styled(style: Partial<Style>): Style {
  return { ...DEFAULT_STYLE, ...style };
}

test('the default style is the same as no style', () => {
  for (const style of [undefined, null, DEFAULT_STYLE]) {
    expect(drawStyled(SCAN_ADDRESS, { style })).toEqual(drawCode(SCAN_ADDRESS, {}));
  }
});

test.each(
  FRAMES.flatMap((frame) =>
    (['square', 'circle'] as const).flatMap((corner) =>
      [SCAN_ADDRESS, '7', 'x'.repeat(1_271)].flatMap((payload) =>
        [undefined, ''].map((logoHref) => ({ frame, corner, payload, logoHref })),
      ),
    ),
  ),
)(
  'a code is measured as it is drawn: $frame, $corner, logo $logoHref',
  ({ frame, corner, payload, logoHref }) => {
    const style = styled({ frame, ringShape: corner, centreShape: corner });
    const drawing = drawStyled(payload, { style, logoHref });
    expect(measureStyled(payload, { style, logoHref })).toEqual({
      size: drawing.size,
      box: expect.objectContaining({ width: boxOf(drawing).width, height: boxOf(drawing).height }),
    });
  },
);

test.each(['x'.repeat(1_274), '7'.repeat(3_058), 'é'.repeat(700)])(
  'what fits no code cannot be measured either',
  (payload) => {
    expect(() => measureStyled(payload, {})).toThrow(CodeTooLongError);
    expect(() => drawStyled(payload, {})).toThrow(CodeTooLongError);
  },
);

test('the longest numbers, the longest capitals and the longest text fit a code', () => {
  const sizes = ['7'.repeat(3_057), 'Q'.repeat(1_852), 'q'.repeat(1_273)].map(
    (payload) => measureStyled(payload, {}).size,
  );
  expect(sizes).toEqual([185, 185, 185]);
});

const looks = MODULE_SHAPES.flatMap((moduleShape) =>
  CORNER_SHAPES.flatMap((corner) => FRAMES.map((frame) => [moduleShape, corner, frame] as const)),
);

test.each(looks)(
  '%s modules with %s corners and frame %s can be decoded at 300 px',
  async (moduleShape, corner, frame) => {
    const style = styled({ moduleShape, ringShape: corner, centreShape: corner, frame });
    const svg = svgOf(drawStyled(SCAN_ADDRESS, { style }), { px: 300 });
    expect(await decodeImage(Buffer.from(svg), 300)).toBe(SCAN_ADDRESS);
  },
);

test.each(CORNER_SHAPES)('a %s corner keeps the ratio 1:1:3:1:1', async (corner) => {
  const drawing = drawStyled(SCAN_ADDRESS, { style: styled({ ringShape: corner, centreShape: corner }) });
  const across = 10;
  const { data, info } = await pixels(svgOf(drawing, { px: drawing.size * across }));
  const isDark = (x: number, y: number) => (data[(y * info.width + x) * info.channels] ?? 255) < 128;
  const middle = (4 + 3.5) * across;
  for (const at of [(place: number) => isDark(place, middle), (place: number) => isDark(middle, place)]) {
    const line = Array.from({ length: 9 * across }, (_, place) => at(3 * across + place));
    const expected = [0, 1, 0, 1, 1, 1, 0, 1, 0].flatMap((dark) => Array<boolean>(across).fill(dark === 1));
    expect(line).toEqual(expected);
  }
});

test.each(MODULE_SHAPES)(
  'the centres of %s modules are dark exactly where the modules are',
  async (moduleShape) => {
    const drawing = drawStyled(SCAN_ADDRESS, { style: styled({ moduleShape, cornerColour: '#14203d' }) });
    const across = 9;
    const { data, info } = await pixels(svgOf(drawing, { px: drawing.size * across }));
    for (const [at, dark] of drawing.modules.entries()) {
      const x = (at % drawing.size) * across + 4;
      const y = Math.floor(at / drawing.size) * across + 4;
      expect((data[(y * info.width + x) * info.channels] ?? 0) < 128).toBe(dark === 1);
    }
  },
);

test.each(FRAMES)('frame %s does not touch the quiet zone', async (frame) => {
  const style = styled({ frame, frameColour: '#a4210d', groundColour: '#ffe9b0' });
  for (const payload of [SCAN_ADDRESS, 'x'.repeat(255)]) {
    const drawing = drawStyled(payload, { style });
    const look = drawing.look ?? { x: 0, y: 0, width: 0, height: 0 };
    const across = 6;
    const { data, info } = await pixels(svgOf(drawing, { px: look.width * across }));
    for (let y = 0; y < drawing.size * across; y += 1) {
      for (let x = 0; x < drawing.size * across; x += 1) {
        const edge = Math.min(x, y, drawing.size * across - 1 - x, drawing.size * across - 1 - y);
        if (edge >= 4 * across) continue;
        const at = ((y - look.y * across) * info.width + x - look.x * across) * info.channels;
        const isBackground = data[at] === 0xff && data[at + 1] === 0xe9 && data[at + 2] === 0xb0;
        if (!isBackground) expect.fail(`the pixel ${x}, ${y} of the quiet zone is not ground`);
      }
    }
  }
});

test.each([
  ['caption-below', 2],
  ['caption-above', 2],
  ['badge', 2],
  ['ticket', 3],
] as const)('frame %s has nothing outside its outline, and no ground along it', async (frame, gaps) => {
  const style = styled({ frame, frameColour: '#a4210d', groundColour: '#ffe9b0' });
  const { data, info } = await pixels(svgOf(drawStyled(SCAN_ADDRESS, { style }), { px: 400 }));
  const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3] ?? 0;
  const [right, bottom] = [info.width - 1, info.height - 1];
  for (const x of [0, right]) {
    expect([alphaAt(x, 0), alphaAt(x, bottom)]).toEqual([0, 0]);
    const isEmpty = Array.from({ length: info.height }, (_, y) => alphaAt(x, y) === 0);
    expect(isEmpty.filter((empty, y) => empty && !isEmpty[y - 1])).toHaveLength(gaps);
  }
  const isLight = (at: number) => (data[at + 1] ?? 0) > 0x60;
  const edge = Array.from({ length: info.width * info.height }, (_, at) => at * info.channels).filter(
    (at) => (data[at + 3] ?? 0) > 16 && (data[at + 3] ?? 0) < 255,
  );
  expect(edge.length).toBeGreaterThan(20);
  expect(edge.filter(isLight)).toEqual([]);
});

test('a gradient runs across the symbol at its angle', () => {
  const gradientAt = (gradientAngle: number) =>
    drawStyled(SCAN_ADDRESS, { style: styled({ gradientColour: '#a4210d', gradientAngle }) }).look?.gradient;
  const [ink, red] = ['#14203c', '#a4210d'];
  const middle = 41 / 2;
  expect(gradientAt(0)).toEqual({
    from: { x: 4, y: middle, colour: ink },
    to: { x: 37, y: middle, colour: red },
  });
  expect(gradientAt(90)).toEqual({
    from: { x: middle, y: 4, colour: ink },
    to: { x: middle, y: 37, colour: red },
  });
  expect(gradientAt(225)).toEqual({ from: { x: 37, y: 37, colour: ink }, to: { x: 4, y: 4, colour: red } });
});

test('a look consists of plain paths and at most one gradient in user space', () => {
  const style = styled({
    moduleShape: 'dots',
    gradientColour: '#a4210d',
    gradientAngle: 30,
    frame: 'ticket',
  });
  const svg = svgOf(drawStyled(SCAN_ADDRESS, { style }), { px: 600 });
  expect(new Set(Array.from(svg.matchAll(/<(\w+)/g), ([, name]) => name))).toEqual(
    new Set(['svg', 'defs', 'linearGradient', 'stop', 'path']),
  );
  expect(svg.match(/<linearGradient/g)).toHaveLength(1);
  expect(svg).toContain('gradientUnits="userSpaceOnUse"');
  expect(svg).not.toMatch(/style=|clip|mask|filter|transform|href/);
});

test('a transparent background is left out', () => {
  const shapes = (transparentGround: boolean) =>
    svgOf(drawStyled(SCAN_ADDRESS, { style: styled({ transparentGround, groundColour: '#ffe9b0' }) }));
  expect(shapes(false)).toContain('#ffe9b0');
  expect(shapes(true)).not.toContain('#ffe9b0');
});

test('a white backing is painted if the background is not white', () => {
  const partsOf = (style: Partial<Style>) => {
    const drawing = drawStyled(SCAN_ADDRESS, {
      style: styled(style),
      logoHref: 'data:,',
      useWhiteBackground: true,
    });
    return drawing.look?.layers.map(({ part }) => part);
  };
  expect(partsOf({ moduleShape: 'dots' })).not.toContain('backing');
  expect(partsOf({ groundColour: '#ffe9b0' })).toContain('backing');
  expect(partsOf({ transparentGround: true })).toContain('backing');
});

async function pixels(svg: string) {
  return sharp(Buffer.from(svg)).raw().toBuffer({ resolveWithObject: true });
}
