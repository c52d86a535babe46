import { PDFiumLibrary } from '@hyzyla/pdfium';
import { expect, test } from 'vitest';
import { makeReport, type ReportOrder } from '~/codes/pictures/report-pdf.server';

const MAP = {
  view: { x: 100, y: 0, width: 100, height: 50 },
  countries: [
    // A square in the middle of what is shown, another at its left, and one outside.
    { path: 'M140 10l20 0 0 20-20 0z', share: 1 },
    { path: 'M110 10l20 0 0 20-20 0z', share: 0 },
    { path: 'M10 10l20 0 0 20-20 0z', share: 1 },
  ],
};

const ORDER: ReportOrder = {
  lang: 'en',
  heading: 'Report',
  lead: 'All codes',
  made: 'Today',
  summary: [],
  summaryNote: 'Chance is one in twenty.',
  figures: { heading: 'Figures', rows: [['Figure', 'Value', 'Definition']] },
  trend: { heading: 'Visits', finding: 'None', counted: 'Scans and clicks.', columns: null, legend: '' },
  rankings: [
    {
      heading: 'Countries',
      finding: 'Most from France',
      counted: 'Addresses as of May.',
      rows: [
        ['Country', 'Visits'],
        ['France', '3'],
      ],
      map: MAP,
    },
  ],
  page: 'Page {page} of {pages}',
};

/** How many pixels of the first page have about this colour, and the mean of their places from 0 to 1. */
async function find(bytes: Uint8Array, [red, green, blue]: [number, number, number]) {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes);
  const page = document.getPage(0);
  const text = page.getText();
  const { data, width } = await page.render({ scale: 1, render: 'bitmap' });
  document.destroy();
  library.destroy();
  const places: number[] = [];
  for (let at = 0; at < data.length; at += 4) {
    const distance =
      Math.abs((data[at] ?? 0) - red) +
      Math.abs((data[at + 1] ?? 0) - green) +
      Math.abs((data[at + 2] ?? 0) - blue);
    if (distance < 12) places.push(((at / 4) % width) / width);
  }
  return { text, count: places.length, x: places.reduce((sum, one) => sum + one, 0) / places.length };
}

test('countries are coloured by their share, and what is outside the view is not drawn', async () => {
  const bytes = await makeReport(ORDER);
  const accent = await find(bytes, [0xc8, 0x32, 0x1e]);
  const land = await find(bytes, [0xd8, 0xdc, 0xe5]);
  for (const text of ['Page 1 of 1', 'Chance is one in twenty.', 'Scans and clicks.', 'Addresses as of May.'])
    expect(accent.text).toContain(text);
  const scale = (0.75 * 505.28) / 100;
  const side = 20 * scale;
  for (const { count } of [accent, land]) {
    expect(count).toBeGreaterThan(0.9 * side ** 2);
    expect(count).toBeLessThan(1.1 * side ** 2);
  }
  expect(accent.x).toBeCloseTo((45 + 50 * scale) / 595.28, 1);
  expect(land.x).toBeCloseTo((45 + 20 * scale) / 595.28, 1);
});

test('without countries there is no map, and a report of many tables goes on on the next page', async () => {
  const [ranking] = ORDER.rankings;
  if (!ranking) throw new Error('there is no ranking');
  const rankings = Array.from({ length: 12 }, () => ({ ...ranking, map: null }));
  const { count, text } = await find(await makeReport({ ...ORDER, rankings }), [0xc8, 0x32, 0x1e]);
  expect([count, text.includes('Page 1 of 2')]).toEqual([0, true]);
});
