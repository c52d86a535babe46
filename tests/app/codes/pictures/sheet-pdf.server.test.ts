import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { divide, layOut } from '~/codes/files/sheet-layouts';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { pdfPages } from '~/codes/pictures/code-pdf.server';
import { makeSheet } from '~/codes/pictures/sheet-pdf.server';
import { pdfText } from '../../../support/pdf-text';
import { listLogos } from './logos';

/** Payloads decoded from a sheet, and payloads to miss, each from its given reading on. */
const reader = vi.hoisted(() => ({ read: [] as string[], missed: [] as [payload: string, time: number][] }));

vi.mock('~/codes/pictures/decode.server', async (original) => {
  const real = await original<typeof import('~/codes/pictures/decode.server')>();
  const decodePixels: typeof real.decodePixels = async (pixels) => {
    const text = await real.decodePixels(pixels);
    if (text === null) return text;
    reader.read.push(text);
    const times = reader.read.filter((one) => one === text).length;
    return reader.missed.some(([payload, time]) => payload === text && time === times) ? null : text;
  };
  return { ...real, decodePixels };
});
afterEach(() => {
  reader.read = [];
  reader.missed = [];
});

const ORDER = { layout: 'a4-4', start: 1, hasCutMarks: false, title: 'Sheet' } as const;
const PLAIN = { name: '', action: '', symbol: {} };

test('after a sheet is painted again, all of its codes are decoded again', async () => {
  const labels = ['first', 'second'].map((payload) => ({ ...PLAIN, payload }));
  reader.missed = [
    ['second', 1],
    ['first', 2],
  ];
  await makeSheet({ ...ORDER, labels });
  expect(reader.read).toEqual(['first', 'second', 'second', 'first', 'second', 'first', 'first', 'second']);
});

test('a logo on a round backing shows no corners on any background of a sheet', async () => {
  const logo = (await listLogos()).get('transparent');
  const backgrounds = ['#ffd447', '#8fd3ff'];
  const labels = backgrounds.map((groundColour, n) => {
    const style = { ...DEFAULT_STYLE, groundColour };
    return { ...PLAIN, payload: `https://QDR.LI/R/7K3M9QX${n}`, logo, useWhiteBackground: true, style };
  });
  const { bytes } = await makeSheet({ ...ORDER, labels });
  const { page, places } = layOut(ORDER.layout, ORDER.hasCutMarks);
  for await (const { data, width } of pdfPages(bytes, () => 2400)) {
    for (const [n, { payload, style }] of labels.entries()) {
      const { code } = divide(places[n] ?? page, false, 1);
      const drawing = drawCaptioned(payload, { logoHref: '', useWhiteBackground: true, style });
      const side = drawing.logo?.size ?? 0;
      /** Colour at an offset from the centre, in multiples of the logo's side. */
      const colourAt = (right: number, down: number) => {
        const along = (from: number, by: number) =>
          Math.floor(((from + (0.5 + (by * side) / drawing.size) * code.width) * width) / page.width);
        const at = (along(code.y, down) * width + along(code.x, right)) * 4;
        return Buffer.from([0, 1, 2].map((channel) => data[at + channel] ?? 0)).toString('hex');
      };
      const tips = [-0.49, 0.49].flatMap((down) => [-0.49, 0.49].map((right) => colourAt(right, down)));
      expect(tips.map((colour) => `#${colour}`)).toEqual(tips.map(() => backgrounds[n]));
      for (const by of [-0.48, 0, 0.48, 0.58]) expect(colourAt(by, 0)).toBe('ffffff');
    }
  }
});

test.each(['a4-8', 'poster-a6'] as const)(
  'cut marks are drawn outside each label of %s, if asked for',
  async (layout) => {
    const labels = [{ ...PLAIN, payload: 'HTTPS://QDR.LI/R/7K3M9QX0' }];
    for (const hasCutMarks of [true, false]) {
      const { bytes, pages } = await makeSheet({ ...ORDER, layout, hasCutMarks, labels });
      expect(pages).toBe(1);
      const { page, places } = layOut(layout, hasCutMarks);
      const [first = page] = places;
      for await (const { data, width, height } of pdfPages(bytes, () => 2_000)) {
        const scale = width / page.width;
        const isDark = (x: number, y: number) => (data[(y * width + x) * 4] ?? 255) < 128;
        // From 1 mm above to 1 mm below the upper edge, outside the left one; a mark of a poster begins farther out.
        const x = Math.round((first.x - (layout === 'a4-8' ? 1.5 : 5)) * scale);
        const rows = Array.from({ length: Math.round(2 * scale) }, (_, row) =>
          Math.round((first.y - 1) * scale + row),
        ).filter((row) => row >= 0 && row < height);
        expect(rows.some((row) => x >= 0 && isDark(x, row))).toBe(hasCutMarks);
      }
    }
  },
);

test('a full page is one page, and the first code after it begins the next', async () => {
  const pagesOf = async (count: number, start: number) => {
    const labels = Array.from({ length: count }, (_, n) => ({ ...PLAIN, payload: `${n}` }));
    return (await makeSheet({ ...ORDER, start, labels })).pages;
  };
  expect([await pagesOf(4, 1), await pagesOf(5, 1), await pagesOf(1, 4), await pagesOf(2, 4)]).toEqual([
    1, 2, 1, 2,
  ]);
});

test('a sheet has the title that it was ordered with', async () => {
  const { bytes } = await makeSheet({ ...ORDER, title: 'QR-Codes', labels: [{ ...PLAIN, payload: 'x' }] });
  expect(Buffer.from(bytes).toString('latin1')).toContain('\n(QR-Codes)\n');
});

test.each([
  ['a4-24', 'example.com/shop/spring-collection/2026/table-tent-card-number-12', 'Scan me'],
  [
    'letter-24',
    'WINTERGARTEN-RESTAURANT, GROSSER SAAL, FENSTERPLATZ LINKS, TISCH NUMMER 12 (NR.)',
    'Scan to read our menu, the allergens and the wines of today!',
  ],
] as const)(
  'the call to action of a label is printed whole below a long name (%s)',
  async (layout, name, action) => {
    const { bytes } = await makeSheet({
      ...ORDER,
      layout,
      labels: [{ ...PLAIN, name, action, payload: 'code' }],
    });
    const printed = (await pdfText(bytes)).replace(/\s+/g, '');
    expect(printed).toContain(action.replace(/\s+/g, ''));
    expect(printed).toContain(name.slice(0, 8));
  },
);
