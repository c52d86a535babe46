import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';
import { openBrowser } from './browser';
import type { Row } from './row';
import { createCustomer, findCodePage } from './soak-customers';
import { openWebsite } from './website';

/** How much slower the processor of a page is made; those of the limits. */
const LOADING_SLOWDOWN = 4;
const INTERACTING_SLOWDOWN = 6;
const AIM_MS = 50;
const TASK_BAR_MS = 250;
const INTERACTION_BAR_MS = 400;
/** Long enough for everything that a page starts by itself. */
const SETTLED_MS = 3_000;
const CHARACTERS = 12;

interface Measured {
  path: string;
  /** What visitors and subscribers do there most; each key, click or tap counts. */
  interact(page: Page): Promise<void>;
}

const HOME: Measured = {
  path: '/',
  async interact(page) {
    await type(page, 'input[name="content"]');
    await click(page, 'button[name="intent"][value="look"]');
    await click(page, 'label[for$="moduleShape-dots"]');
    await click(page, '.site-header [popovertarget]:visible');
  },
};
const LIST: Measured = {
  path: '/user/qrcodes',
  async interact(page) {
    await click(page, 'tbody input[type="checkbox"]');
    await click(page, '.row-menu summary');
    await type(page, 'input[name="search"]');
  },
};
const CODE: Measured = {
  path: '',
  async interact(page) {
    await type(page, 'input[name="content"]');
    await click(page, '.site-header [popovertarget]:visible');
  },
};
const STATISTICS: Measured = {
  path: '/user/analytics',
  async interact(page) {
    await click(page, 'main details summary');
    await click(page, 'main .explanation summary');
    await click(page, '.site-header [popovertarget]:visible');
  },
};

/**
 * The longest task after a page has loaded, and the slowest of its interactions as Interaction to Next Paint counts
 * them, with the processor slowed down as on an old phone. A key in a field that nothing listens to says how much of it is
 * the browser's.
 */
export async function benchInteraction(): Promise<Row[]> {
  const website = await openWebsite();
  const browser = await openBrowser();
  try {
    const { url, hostUrl = '' } = website;
    const { cookie } = await createCustomer('Ada', { url, hostUrl });
    const code = await findCodePage(url, cookie);
    const rows: Row[] = [];
    for (const measured of [HOME, LIST, { ...CODE, path: code }, STATISTICS]) {
      const context = await openContext(browser, url, measured === HOME ? null : cookie);
      rows.push(...(await measurePage(context, url, measured)));
      await context.close();
    }
    return rows;
  } finally {
    await browser.close();
    await website.stop();
  }
}

async function openContext(browser: Browser, url: string, cookie: string | null): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const [name = '', value = ''] = cookie?.split('=') ?? [];
  if (cookie) await context.addCookies([{ name, value, url }]);
  // The first visit fills caches, which are not what is measured.
  const page = await context.newPage();
  await page.goto(`${url}/`, { waitUntil: 'networkidle' });
  await page.close();
  return context;
}

async function measurePage(
  context: BrowserContext,
  url: string,
  { path, interact }: Measured,
): Promise<Row[]> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.addInitScript(watchTimes);
  await slowDown(session, LOADING_SLOWDOWN);
  await page.goto(url + path, { waitUntil: 'load' });
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  await delay(SETTLED_MS);
  const longest = await page.evaluate(() => window.longestTask());
  await slowDown(session, INTERACTING_SLOWDOWN);
  await page.evaluate(addBareField);
  await type(page, '#bare');
  // Times arrive after their interaction: none of these may count as one of the page's.
  await delay(SETTLED_MS);
  const bare = await page.evaluate(() => window.slowestInteraction());
  await page.locator('#bare').evaluate((field) => field.remove());
  await interact(page);
  await delay(SETTLED_MS);
  const slowest = await page.evaluate(() => window.slowestInteraction());
  await page.close();
  const name = path.replace(/[\da-f-]{36}/, ':id');
  const yardstick = `a key in a bare field ${bare.ms} ms`;
  return [
    {
      what: `longest task after loading ${name}, processor ${LOADING_SLOWDOWN} times slower`,
      figure: longest === 0 ? `none above ${AIM_MS} ms` : `${longest} ms`,
      bar: `≤ ${TASK_BAR_MS} ms`,
      ok: longest <= TASK_BAR_MS,
      aim: { bar: `≤ ${AIM_MS} ms`, reached: longest <= AIM_MS },
      yardstick,
    },
    {
      what: `slowest interaction on ${name}, processor ${INTERACTING_SLOWDOWN} times slower`,
      figure: `${slowest.ms} ms (${slowest.name})`,
      bar: `≤ ${INTERACTION_BAR_MS} ms`,
      ok: slowest.ms <= INTERACTION_BAR_MS,
      aim: { bar: `≤ ${AIM_MS} ms`, reached: slowest.ms <= AIM_MS },
      yardstick,
    },
  ];
}

async function slowDown(session: CDPSession, rate: number): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

async function click(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().click();
  await page.evaluate(() => window.nextPaint());
}

async function type(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().focus();
  for (let typed = 0; typed < CHARACTERS; typed += 1) {
    await page.keyboard.press(String(typed % 10));
    await page.evaluate(() => window.nextPaint());
  }
}

interface Interaction {
  ms: number;
  /** Kind of event and the element, for whoever looks for the cause. */
  name: string;
}

declare global {
  interface Window {
    /** Milliseconds of the longest task since the load event, 0 without a long one. */
    longestTask(): number;
    /** The slowest interaction since the last call. */
    slowestInteraction(): Interaction;
    nextPaint(): Promise<void>;
  }
}

/** Runs in the page. */
function watchTimes(): void {
  let longest = 0;
  let slowest: Interaction = { ms: 0, name: 'none' };
  new PerformanceObserver((list) => {
    const [loading] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    for (const { startTime, duration } of list.getEntries())
      if (loading && loading.loadEventEnd > 0 && startTime >= loading.loadEventEnd)
        longest = Math.max(longest, Math.round(duration));
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId: number })[]) {
      if (entry.interactionId === 0 || entry.duration <= slowest.ms) continue;
      const target = entry.target as Element | null;
      slowest = {
        ms: entry.duration,
        name: `${entry.name} ${target?.getAttribute('name') ?? target?.localName}`,
      };
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  window.longestTask = () => longest;
  window.slowestInteraction = () => {
    const last = slowest;
    slowest = { ms: 0, name: 'none' };
    return last;
  };
  window.nextPaint = () => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}

/** Runs in the page. */
function addBareField(): void {
  const field = document.createElement('input');
  field.id = 'bare';
  document.body.append(field);
}
