import type { Browser, CDPSession, Page } from '@playwright/test';
import { MODULE_SHAPES } from '#contract/style-rules';
import { openBrowser } from './browser';
import type { Row } from './row';
import { openWebsite } from './website';

const LENGTH = 255;
const KEYSTROKES = 60;
const WARM_UP_KEYSTROKES = 20;
const BAR_MS = 8;
const GRADIENT_BAR_MS = 12;
const LOOKS = [
  ...MODULE_SHAPES.filter((shape) => shape !== 'square').map((shape) => ({ shape, hasGradient: false })),
  { shape: 'rounded', hasGradient: true },
];

interface Keystroke {
  /** CPU time of the page's main thread in ms, from the key to the painted page, including all scripts. */
  work: number;
  /** From the input event to the changed picture in ms, by the clock. */
  wall: number;
}

/**
 * The CPU time of one more character while the last of 255 are typed. Subtracts that of the same key in a
 * bare field on the page, because the browser's own key handling is not part of the redraw. Wall time would
 * include other load.
 */
export async function benchPreview(): Promise<Row[]> {
  const website = await openWebsite();
  const browser = await openBrowser();
  try {
    const rows = [await redrawRow(browser, website.url, null)];
    for (const look of LOOKS) rows.push(await redrawRow(browser, website.url, look));
    return rows;
  } finally {
    await browser.close();
    await website.stop();
  }
}

async function redrawRow(browser: Browser, url: string, look: (typeof LOOKS)[number] | null): Promise<Row> {
  const page = await browser.newPage({ locale: 'en-GB' });
  await page.goto(`${url}/`, { waitUntil: 'networkidle' });
  if (look) await chooseLook(page, look);
  const { redraws, bare } = await typeAndTime(page);
  await page.close();
  const drawing = percentiles(redraws.map(({ work }) => work));
  const idle = percentiles(bare.map(({ work }) => work));
  const wall = percentiles(redraws.map((redraw) => redraw.wall));
  const [p50, p95] = [drawing.p50 - idle.p50, drawing.p95 - idle.p95];
  const most = look?.hasGradient ? GRADIENT_BAR_MS : BAR_MS;
  const named = look ? `, ${look.shape}${look.hasGradient ? ' with a gradient' : ''}` : '';
  return {
    what: `preview redraw for a code of ${LENGTH} characters${named}, processor time`,
    figure: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    bar: `p95 ≤ ${most} ms`,
    ok: p95 <= most,
    yardstick: `key in a bare field ${idle.p50.toFixed(1)} ms; by the clock p50 ${wall.p50.toFixed(1)} ms`,
  };
}

/** Chooses the look with round corners, which are drawn separately from the modules. */
async function chooseLook(page: Page, { shape, hasGradient }: (typeof LOOKS)[number]): Promise<void> {
  // Not with the pointer, because the browser would hit-test under it after every paint.
  await page.locator('button[name="intent"][value="look"]').evaluate((button: HTMLElement) => button.click());
  await page.locator('input[name="moduleShape"]').first().waitFor();
  const chosen = [`[name="moduleShape"][value="${shape}"]`, '[name="ringShape"][value="circle"]'];
  if (hasGradient) chosen.push('[name="gradient"]');
  for (const field of chosen) {
    await page.locator(`input${field}`).evaluate((input: HTMLInputElement) => input.click());
  }
}

/** Keystrokes in the form and in a field that nothing listens to, in turn. */
async function typeAndTime(page: Page): Promise<{ redraws: Keystroke[]; bare: Keystroke[] }> {
  const field = page.locator('input[name="content"]').first();
  const enteredFirst = LENGTH - KEYSTROKES - WARM_UP_KEYSTROKES;
  await field.fill(`https://example.com/${'a'.repeat(LENGTH)}`.slice(0, enteredFirst));
  await page.locator('.code-picture path').first().waitFor();
  await page.evaluate(watchRedraws);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const redraws: Keystroke[] = [];
  const bare: Keystroke[] = [];
  for (let entered = 1; entered <= WARM_UP_KEYSTROKES + KEYSTROKES; entered += 1) {
    await field.focus();
    redraws.push(await press(page, session, entered));
    await page.locator('#bare').focus();
    bare.push(await press(page, session, entered));
  }
  return { redraws: redraws.slice(WARM_UP_KEYSTROKES), bare: bare.slice(WARM_UP_KEYSTROKES) };
}

async function press(page: Page, session: CDPSession, count: number): Promise<Keystroke> {
  await page.evaluate(() => window.untilPainted(0));
  const before = await taskMilliseconds(session);
  await page.keyboard.press(String(count % 10));
  const wall = await page.evaluate((redraws) => window.untilPainted(redraws), count);
  return { work: (await taskMilliseconds(session)) - before, wall };
}

async function taskMilliseconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

declare global {
  interface Window {
    /** Resolves with the milliseconds that redraw number `count` took, once it is on the screen. */
    untilPainted(count: number): Promise<number>;
  }
}

/** Runs in the page. */
function watchRedraws(): void {
  const redraws: number[] = [];
  let enteredAt = 0;
  const bare = document.createElement('input');
  bare.id = 'bare';
  document.body.prepend(bare);
  document.addEventListener(
    'input',
    () => {
      enteredAt = performance.now();
    },
    true,
  );
  new MutationObserver(() => redraws.push(performance.now() - enteredAt)).observe(document.body, {
    subtree: true,
    attributeFilter: ['d'],
  });
  window.untilPainted = async (count) => {
    do await new Promise((frame) => requestAnimationFrame(frame));
    while (redraws.length < count);
    // The frame is painted after its callbacks, so wait for the next task.
    await new Promise((painted) => setTimeout(painted));
    return redraws[count - 1] ?? Number.NaN;
  };
}

function percentiles(values: number[]): { p50: number; p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}
