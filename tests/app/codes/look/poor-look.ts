import { afterAll, beforeAll } from 'vitest';
import type { Style } from '#contract/style-rules';

/** Passes validation, but decoders cannot distinguish these colours, as blue is nearly black to them. */
export const POOR = {
  moduleColour: '#000000',
  cornerColour: '#000000',
  groundColour: '#3131ff',
  moduleShape: 'dots',
  ringShape: 'circle',
  centreShape: 'leaf',
} as const satisfies Partial<Style>;
export const NETWORK = {
  ssid: 'Terrace',
  passphrase: 'good food and wine for everybody here, every evening until late',
};
/** A Wi-Fi code, whose files contain the content itself, which needs a larger symbol than a short link. */
export const FORM = {
  type: 'wifi',
  ...NETWORK,
  readyMade: 'own',
  readyMadeBefore: 'own',
  ...POOR,
};

export function fixesIn(html: string): string[] {
  return Array.from(html.matchAll(/name="fix" value="(\w+)"/g), ([, fix = '']) => fix);
}

/** Lets the drawings of a file's tests take as long as a test may, for machines with other work. */
export function allowSlowDrawings(): void {
  let restore: () => void;
  beforeAll(() => {
    const pool = globalThis.drawingPool;
    if (!pool) throw new Error('nothing draws');
    const run = pool.run.bind(pool);
    pool.run = ((task, input, options) =>
      run(task, input, { ...options, cpuMs: 60_000, timeoutMs: 60_000 })) as typeof run;
    restore = () => {
      pool.run = run;
    };
  });
  afterAll(() => restore());
}
