import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromiumPath } from './browser';
import type { Row } from './row';
import { openBlank, openWebsite } from './website';

const run = promisify(execFile);

/** The last one that runs on Node.js 20. Fetched when it is needed, as it is larger than all that the product uses. */
const PACKAGE = 'lighthouse@12.8.2';
const LEAST = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };
type Category = keyof typeof LEAST;
const CATEGORIES = Object.keys(LEAST) as Category[];

/**
 * Scores of Lighthouse for a phone on a slow network, for every page of the site map in the default language. Its
 * performance assumes a fast machine: that of the blank page says how much of a loss is the machine's.
 */
export async function benchLighthouse(): Promise<Row[]> {
  const [website, blank] = [await openWebsite(), await openBlank()];
  try {
    const { performance } = await score(blank.url);
    const siteMap = await (await fetch(`${website.url}/sitemap.xml`)).text();
    const paths = [...siteMap.matchAll(/<loc>([^<?]*)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
    const rows: Row[] = [];
    for (const path of paths) {
      const scores = await score(website.url + path);
      rows.push({
        what: `Lighthouse for a phone: ${path}`,
        figure: CATEGORIES.map((category) => `${category} ${scores[category]}`).join(', '),
        bar: `≥ ${CATEGORIES.map((category) => LEAST[category]).join(', ')}`,
        ok: CATEGORIES.every((category) => scores[category] >= LEAST[category]),
        yardstick: `performance of a blank page ${performance}`,
      });
    }
    return rows;
  } finally {
    await website.stop();
    await blank.stop();
  }
}

/** From 0 to 100. */
async function score(url: string): Promise<Record<Category, number>> {
  const given = [
    url,
    '--quiet',
    '--output=json',
    `--only-categories=${CATEGORIES.join(',')}`,
    '--chrome-flags=--headless --no-sandbox --disable-gpu',
  ];
  const { stdout } = await run(
    'npm',
    ['exec', '--yes', `--package=${PACKAGE}`, '--', 'lighthouse', ...given],
    {
      env: { ...process.env, CHROME_PATH: chromiumPath() },
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const { categories } = JSON.parse(stdout) as { categories: Record<Category, { score: number }> };
  return Object.fromEntries(
    CATEGORIES.map((category) => [category, Math.round(categories[category].score * 100)]),
  ) as Record<Category, number>;
}
