import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { DEFAULT_STYLE, MODULE_SHAPES, type Style } from '#contract/style-rules';
import { ProcessPool } from '#runtime/processes/process-pool';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { pngOf } from '~/codes/pictures/code-png.server';
import type { DrawingTasks } from '~/codes/pictures/drawing-process.server';
import { gradeDrawing } from '~/codes/pictures/grade.server';
import type { Row } from './row';

const SCAN_ADDRESS = 'https://DESTINATION.EXAMPLE/R/7K3M9QXD';
const LONGEST = 'https://example.com/'.padEnd(255, 'a');
const PIXELS = 1024;
const PNG_BAR_MS = 60;
const GRADE_BAR_MS = 400;
const POOL_BAR_MB = 450;
const MEGABYTE = 1024 * 1024;
const RUNS = 15;
const SLOW_RUNS = 7;
const FRAMED = {
  frame: 'ticket',
  caption: 'Scan for the menu',
  ringShape: 'rounded',
  centreShape: 'circle',
} as const;

/** The server's cost of a styled picture, in CPU time including the image library's threads. */
export async function benchLooks(): Promise<Row[]> {
  const looks = MODULE_SHAPES.map((moduleShape): [string, Style] => [
    moduleShape,
    { ...DEFAULT_STYLE, ...FRAMED, moduleShape, gradientColour: '#a4210d', gradientAngle: 45 },
  ]);
  const rows: { name: string; short: number; long: number }[] = [];
  for (const [name, style] of looks) {
    rows.push({
      name,
      short: await cpuTime(() => paint(SCAN_ADDRESS, style)),
      long: await cpuTime(() => paint(LONGEST, style)),
    });
  }
  const plain = await cpuTime(() => paint(SCAN_ADDRESS, DEFAULT_STYLE));
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
    await gradeRow(looks),
    await poolRow(looks),
  ];
}

async function gradeRow(looks: [string, Style][]): Promise<Row> {
  const grade = (payload: string, style: Style) =>
    cpuTime(async () => {
      await gradeDrawing(drawCaptioned(payload, { style }), payload);
    }, SLOW_RUNS);
  let [slowest, longest] = [0, 0];
  for (const [, style] of looks) {
    slowest = Math.max(slowest, await grade(SCAN_ADDRESS, style));
    longest = Math.max(longest, await grade(LONGEST, style));
  }
  const plain = await grade(SCAN_ADDRESS, DEFAULT_STYLE);
  return {
    what: 'grade of a look, the slowest shape of modules, processor time',
    figure: `${slowest.toFixed(0)} ms`,
    bar: `≤ ${GRADE_BAR_MS} ms`,
    ok: slowest <= GRADE_BAR_MS,
    yardstick: `in ink on paper ${plain.toFixed(0)} ms; of 255 characters ${longest.toFixed(0)} ms`,
  };
}

/** Memory of a drawing process after examining every look and making a large file of each. */
async function poolRow(looks: [string, Style][]): Promise<Row> {
  const before = new Set(childProcesses());
  const pool = new ProcessPool<DrawingTasks>({
    built: 'build/drawing/drawing-process.js',
    source: 'app/codes/pictures/drawing-process.server.ts',
    processes: 1,
    memoryBytes: 2 * POOL_BAR_MB * MEGABYTE,
    retireBytes: 2 * POOL_BAR_MB * MEGABYTE,
    queue: { perOwner: 8, perNetwork: 8, total: 8 },
    waitMs: 60_000,
  });
  const options = { client: { networks: ['bench'] }, cpuMs: 60_000, timeoutMs: 60_000 };
  try {
    await pool.run('examine', { payload: SCAN_ADDRESS }, options);
    const [child] = childProcesses().filter((id) => !before.has(id));
    const idle = peakMemory(child);
    for (const [, style] of looks) {
      await pool.run('examine', { payload: LONGEST, style }, options);
      await pool.run('makeFile', { payload: SCAN_ADDRESS, style, format: 'png', size: 4096 }, options);
    }
    const peak = peakMemory(child);
    return {
      what: 'memory of a process that draws, at most, while it examines every shape and makes files of 4096 px',
      figure: `${(peak / MEGABYTE).toFixed(0)} MB`,
      bar: `≤ ${POOL_BAR_MB} MB`,
      ok: peak <= POOL_BAR_MB * MEGABYTE,
      yardstick: `after one code in ink on paper ${(idle / MEGABYTE).toFixed(0)} MB`,
    };
  } finally {
    pool.close();
  }
}

function childProcesses(): string[] {
  return readdirSync('/proc').filter((id) => /^\d+$/.test(id) && parentOf(id) === process.pid && draws(id));
}

/** Not the compiler that turns the source of that process into a program. */
function draws(id: string): boolean {
  return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('drawing-process');
}

/** Parent process id; null if the process has ended in the meantime. */
function parentOf(id: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

/** Peak memory of the process so far, in bytes. */
function peakMemory(id = ''): number {
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
}

async function paint(payload: string, style: Style): Promise<void> {
  await pngOf(drawCaptioned(payload, { style }), PIXELS);
}

/** Median CPU time of several runs, in ms. */
async function cpuTime(act: () => Promise<void>, runs = RUNS): Promise<number> {
  // As in the website's drawing process.
  sharp.concurrency(1);
  sharp.cache(false);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    await act();
    const { user, system } = process.cpuUsage(before);
    if (run > 2) times.push((user + system) / 1_000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
