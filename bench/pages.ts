import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { ZodError } from 'zod';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import { openBrowser } from './browser';
import type { Row } from './row';
import { openBlank, openWebsite } from './website';

const ASSETS = 'build/client/assets';
/** Markers that survive minification: the names of an error of our drawing and of zod's errors. */
const DRAWING = new CodeTooLongError().name;
const ZOD = new ZodError([]).name;
const ROUND_TRIP_KB = 14;
const SCRIPTS_KB = 35;

/** Transfer size of the home page and its files, and the requests of a browser with an empty cache. */
export async function benchPages(): Promise<Row[]> {
  const [website, blank] = [await openWebsite(), await openBlank()];
  try {
    const requests = await listRequests(website.url);
    const home = await weighPage(website.url, requests);
    const empty = await weighPage(blank.url, await listRequests(blank.url));
    return [...htmlRows(home), ...scriptRows(home, empty), ...requestRows(website.url, requests)];
  } finally {
    await website.stop();
    await blank.stop();
  }
}

interface Weights {
  html: Wire;
  css: Wire;
  scripts: Wire;
  scriptTexts: string[];
}

/** Bytes on the wire, as browsers ask for them and in the encoding that all programs know. */
interface Wire {
  browser: number;
  gzip: number;
}

async function weighPage(url: string, requests: URL[]): Promise<Weights> {
  const html = await (await fetch(url)).text();
  const css = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path ?? '');
  // Includes scripts fetched by other scripts, which the page does not name.
  const scripts = requests.filter(({ pathname }) => pathname.endsWith('.js')).map(({ href }) => href);
  return {
    html: await weigh([url]),
    css: await weigh(css.map((path) => url + path)),
    scripts: await weigh(scripts),
    scriptTexts: await Promise.all(scripts.map(async (script) => (await fetch(script)).text())),
  };
}

async function weigh(urls: string[]): Promise<Wire> {
  const total = async (encoding: string) => {
    const sizes = await Promise.all(urls.map((url) => bytesOnWire(url, encoding)));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  return { browser: await total('gzip, deflate, br, zstd'), gzip: await total('gzip') };
}

/** Body bytes as they were sent; `fetch` would hide the encoding. */
function bytesOnWire(url: string, encoding: string): Promise<number> {
  return new Promise((weighed, reject) => {
    get(url, { headers: { 'Accept-Encoding': encoding } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.once('end', () => weighed(bytes));
    }).once('error', reject);
  });
}

function htmlRows({ html, css }: Weights): Row[] {
  const [browser, gzip] = [kilobytes(html.browser + css.browser), kilobytes(html.gzip + css.gzip)];
  const styles = kilobytes(Math.max(css.browser, css.gzip));
  return [
    {
      what: 'home, HTML with its CSS, on the wire',
      figure: `${browser} kB (HTML ${kilobytes(html.browser)}, CSS ${kilobytes(css.browser)}), gzip ${gzip} kB`,
      bar: `≤ ${ROUND_TRIP_KB} kB`,
      ok: browser <= ROUND_TRIP_KB,
    },
    {
      what: 'CSS in all, on the wire',
      figure: `${styles} kB`,
      bar: '≤ 14 kB',
      ok: styles <= 14,
    },
  ];
}

function scriptRows(home: Weights, blank: Weights): Row[] {
  const [ours, theirs] = [kilobytes(home.scripts.gzip), kilobytes(blank.scripts.gzip)];
  const more = kilobytes(home.scripts.gzip - blank.scripts.gzip);
  const built = readdirSync(ASSETS)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(`${ASSETS}/${name}`, 'utf8'));
  const isDrawingBuilt = built.some((text) => text.includes(DRAWING));
  const isDrawingEarly = home.scriptTexts.some((text) => text.includes(DRAWING));
  const isZodBuilt = built.some((text) => text.includes(ZOD));
  return [
    {
      what: 'scripts on home before any input, gzip',
      figure: `${ours} kB = blank + ${more} kB`,
      bar: `≤ blank + ${SCRIPTS_KB} kB (aim 25)`,
      ok: more <= SCRIPTS_KB,
      yardstick: `blank page ${theirs} kB`,
    },
    {
      what: 'code that draws',
      figure: isDrawingEarly
        ? 'loaded with home'
        : isDrawingBuilt
          ? 'in a file of its own'
          : 'not found at all',
      bar: 'on first input only',
      ok: isDrawingBuilt && !isDrawingEarly,
    },
    {
      what: 'zod in the browser',
      figure: isZodBuilt ? 'there' : 'none',
      bar: 'none',
      ok: !isZodBuilt,
    },
  ];
}

/** Requests of a browser with a wide window and an empty cache until the page is idle. */
async function listRequests(url: string): Promise<URL[]> {
  // Warm up, because the first response may precede the loading of the presets.
  await fetch(url);
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    const requests: URL[] = [];
    page.on('request', (request) => requests.push(new URL(request.url())));
    await page.goto(url, { waitUntil: 'networkidle' });
    return requests;
  } finally {
    await browser.close();
  }
}

function requestRows(url: string, requests: URL[]): Row[] {
  const own = requests.filter(({ origin }) => origin === url);
  const kinds = new Map<string, number>();
  for (const { pathname } of own) {
    const kind = pathname.split('/')[1] || 'page';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const parts = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return [
    {
      what: 'requests on home',
      figure: `${requests.length} (${parts})`,
      bar: '≤ 12',
      ok: requests.length <= 12,
    },
    {
      what: 'requests to third parties',
      figure: String(requests.length - own.length),
      bar: '0',
      ok: requests.length === own.length,
    },
  ];
}

/** In kilobytes (1000 bytes), rounded to one decimal. */
function kilobytes(bytes: number): number {
  return Math.round(bytes / 100) / 10;
}
