import fc from 'fast-check';
import { create } from 'qrcode/lib/core/qrcode.js';
import { expect, test } from 'vitest';
import { scanLinkOf } from '#contract/contents/contents';
import {
  type CodeDrawing,
  CodeTooLongError,
  drawCode,
  type MaskPattern,
  svgOf,
} from '~/codes/pictures/code-image';

const SCAN_ADDRESS = 'https://QUADRILLE.EXAMPLE/R/7K3M9QXD';
const payload = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 });

function isDark({ modules, size }: CodeDrawing, x: number, y: number): boolean {
  return modules[y * size + x] === 1;
}

function eachModule(drawing: CodeDrawing, visit: (x: number, y: number) => void): void {
  for (let y = 0; y < drawing.size; y++) for (let x = 0; x < drawing.size; x++) visit(x, y);
}

test('a scan link of a host with up to 12 characters takes version 3, of one with up to 22 at least version 4', () => {
  for (let length = 4; length <= 22; length++) {
    const host = `${'q'.repeat(length - 3)}.li`;
    const { version } = drawCode(scanLinkOf(`https://${host}`, '7K3M9QXD'), {});
    expect({ host, version }).toEqual({ host, version: length <= 12 ? 3 : 4 });
  }
});

test('four light modules surround every code', () => {
  fc.assert(
    fc.property(payload, fc.boolean(), (text, hasLogo) => {
      const drawing = drawCode(text, { logoHref: hasLogo ? '/heart.svg' : undefined });
      expect(drawing.size).toBe(17 + 4 * drawing.version + 8);
      eachModule(drawing, (x, y) => {
        const edge = Math.min(x, y, drawing.size - 1 - x, drawing.size - 1 - y);
        if (edge < 4 && isDark(drawing, x, y)) throw new Error(`dark at ${x},${y}`);
      });
    }),
    { numRuns: 60 },
  );
});

test('without a logo, the modules are those of the level H symbol', () => {
  const symbol = create(SCAN_ADDRESS, { errorCorrectionLevel: 'H' });
  const drawing = drawCode(SCAN_ADDRESS, {});
  for (let y = 0; y < symbol.modules.size; y++) {
    for (let x = 0; x < symbol.modules.size; x++) {
      expect(isDark(drawing, x + 4, y + 4)).toBe(symbol.modules.data[y * symbol.modules.size + x] === 1);
    }
  }
});

test('the path draws exactly the dark modules', () => {
  fc.assert(
    fc.property(payload, (text) => {
      const drawing = drawCode(text, { logoHref: '/heart.svg', useWhiteBackground: true });
      const painted = new Uint8Array(drawing.modules.length);
      for (const [, x, y, run] of drawing.path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
        const start = Number(y) * drawing.size + Number(x);
        painted.fill(1, start, start + Number(run));
      }
      expect(drawing.path.replace(/M\d+ \d+h(\d+)v1h-\1z/g, '')).toBe('');
      expect(painted).toEqual(drawing.modules);
    }),
    { numRuns: 40 },
  );
});

test.each([false, true])(
  'the centre under a logo is empty, the rest untouched (white backing: %s)',
  (isRound) => {
    for (let minVersion = 1; minVersion <= 20; minVersion++) {
      const options = { maskPattern: 3 as MaskPattern, minVersion: Math.max(3, minVersion) };
      const whole = drawCode('quiet', options);
      const drawing = drawCode('quiet', { ...options, logoHref: '/heart.svg', useWhiteBackground: isRound });
      const centre = drawing.size / 2;
      const width = drawing.size - 8;
      expect(drawing.logo).toMatchObject({
        href: '/heart.svg',
        x: centre - width / 8,
        y: centre - width / 8,
        size: width / 4,
      });
      const reach = isRound ? (width / 8) * 1.3 : width / 8;
      eachModule(drawing, (x, y) => {
        const dx = Math.max(x - centre, centre - x - 1, 0);
        const dy = Math.max(y - centre, centre - y - 1, 0);
        const isUnderLogo = dx < width / 8 && dy < width / 8;
        const isCleared = isUnderLogo || (isRound && Math.hypot(dx, dy) < reach);
        const expected = isCleared ? false : isDark(whole, x, y);
        if (isDark(drawing, x, y) !== expected) throw new Error(`version ${drawing.version} at ${x},${y}`);
      });
    }
  },
);

test('a logo never reaches finder, timing or format modules', () => {
  const options = { maskPattern: 0 as MaskPattern };
  const whole = drawCode('1', { ...options, minVersion: 3 });
  const drawing = drawCode('1', { ...options, logoHref: '/heart.svg', useWhiteBackground: true });
  expect(drawing.version).toBe(3);
  for (let along = 0; along < drawing.size; along++) {
    for (let across = 0; across <= 12; across++) {
      expect(isDark(drawing, along, across)).toBe(isDark(whole, along, across));
      expect(isDark(drawing, across, along)).toBe(isDark(whole, across, along));
    }
  }
});

test('each mask and each higher version gives a different drawing of the same payload', () => {
  const masks = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  const paths = masks.map((maskPattern) => drawCode(SCAN_ADDRESS, { maskPattern }).path);
  expect(new Set(paths).size).toBe(8);
  expect(paths).toContain(drawCode(SCAN_ADDRESS, {}).path);
  expect(drawCode(SCAN_ADDRESS, { minVersion: 6 }).version).toBe(6);
  expect(drawCode('x'.repeat(255), { minVersion: 6 }).version).toBe(17);
});

test('any 255 characters fit, and longer payloads have their own error', () => {
  expect(drawCode('é'.repeat(255), {}).version).toBe(24);
  expect(drawCode('😀'.repeat(255), {}).version).toBe(36);
  expect(drawCode('x'.repeat(1273), {}).version).toBe(40);
  expect(() => drawCode('x'.repeat(1274), {})).toThrow(CodeTooLongError);
  expect(drawCode('é'.repeat(636), {}).version).toBe(40);
  expect(() => drawCode(`${'é'.repeat(636)}x`, {})).toThrow(CodeTooLongError);
  expect(() => drawCode('', {})).toThrow('nothing to encode');
});

test('the SVG is self-contained: plain shapes, no styles, clips or external URLs', () => {
  const logoHref = 'data:image/png;base64,AAAA';
  const svg = svgOf(drawCode(SCAN_ADDRESS, { logoHref }), { px: 400, title: 'Menu & <"wine">' });
  expect(svg).toMatch(
    /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" xmlns:xlink="http:\/\/www.w3.org\/1999\/xlink" viewBox="0 0 41 41" width="400" height="400">/,
  );
  expect(svg).toContain('<title>Menu &#38; &#60;&#34;wine&#34;&#62;</title>');
  expect(new Set(Array.from(svg.matchAll(/<(\w+)/g), ([, name]) => name))).toEqual(
    new Set(['svg', 'title', 'rect', 'path', 'image']),
  );
  expect(svg).not.toMatch(/style=|clip|url\(|href="(?!data:)/);
  expect(svg).toContain('fill="#14203c"');
});

test('nothing in the address of a logo can break out of the SVG', () => {
  const svg = svgOf(drawCode('x', { logoHref: '"/><script>alert(1)</script>' }));
  const escaped = '&#34;/&#62;&#60;script&#62;alert(1)&#60;/script&#62;';
  expect(svg).toContain(`href="${escaped}" xlink:href="${escaped}"/></svg>`);
  expect(svg).not.toContain('<script');
});
