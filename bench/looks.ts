import sharp from 'sharp';
import { DEFAULT_STYLE, MODULE_SHAPES, type Style } from '#contract/style-rules';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { pngOf } from '~/codes/pictures/code-png.server';
import type { Row } from './row';

const SCAN_ADDRESS = 'HTTPS://DESTINATION.EXAMPLE/R/7K3M9QXD';
const LONGEST = 'https://example.com/'.padEnd(255, 'a');
const PIXELS = 1024;
const PNG_BAR_MS = 60;
const RUNS = 15;
const FRAMED = {
  frame: 'ticket',
  caption: 'Scan for the menu',
  ringShape: 'rounded',
  centreShape: 'circle',
} as const;

/** What a picture in a look costs the server, in processor time of the thread and those of the image library. */
export async function benchLooks(): Promise<Row[]> {
  const looks = MODULE_SHAPES.map((moduleShape): [string, Style] => [
    moduleShape,
    { ...DEFAULT_STYLE, ...FRAMED, moduleShape, gradientColour: '#a4210d', gradientAngle: 45 },
  ]);
  const rows: { name: string; short: number; long: number }[] = [];
  for (const [name, style] of looks) {
    rows.push({
      name,
      short: await processorTime(() => paint(SCAN_ADDRESS, style)),
      long: await processorTime(() => paint(LONGEST, style)),
    });
  }
  const plain = await processorTime(() => paint(SCAN_ADDRESS, DEFAULT_STYLE));
  const worst = rows.reduce((most, row) => (row.short > most.short ? row : most));
  const longest = rows.reduce((most, row) => (row.long > most.long ? row : most));
  return [
    {
      what: `PNG of ${PIXELS} px in a look with gradient and frame, the slowest shape of modules, processor time`,
      figure: `${worst.short.toFixed(1)} ms (${worst.name})`,
      bar: `≤ ${PNG_BAR_MS} ms`,
      ok: worst.short <= PNG_BAR_MS,
      yardstick: `in ink on paper ${plain.toFixed(1)} ms; of 255 characters ${longest.long.toFixed(0)} ms (${longest.name})`,
    },
  ];
}

async function paint(payload: string, style: Style): Promise<void> {
  await pngOf(drawCaptioned(payload, { style }), PIXELS);
}

/** The middle of several runs, in ms. */
async function processorTime(act: () => Promise<void>): Promise<number> {
  // As in the process that draws for the website.
  sharp.concurrency(1);
  sharp.cache(false);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage();
    await act();
    const { user, system } = process.cpuUsage(before);
    if (run > 2) times.push((user + system) / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
