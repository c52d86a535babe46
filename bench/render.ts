import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { PageLoad, PagesLoaded } from './load';
import { median, type Row, spread } from './row';
import { createCustomer, findCodePage } from './soak-customers';
import { openBlank, openWebsite, type Website } from './website';

const CONNECTIONS = 8;
const ROUNDS = 5;
const ROUND_SECONDS = 0.8;
const WARM_UP_SECONDS = 3;

const PUBLIC_PAGES = ['/', '/pricings', '/faq', '/contact', '/privacy-policy', '/developers'];
const PUBLIC_SHARE = 150;
const SIGNED_IN_SHARE = 5;
const SIGNED_IN_AIM = 60;

interface Measured {
  path: string;
  cookie?: string;
  /** Of the blank page's rate, in percent. */
  leastShare: number;
  aimedShare?: number;
}

/**
 * Uncompressed pages per second of CPU time, so that other load on the machine affects neither side.
 * Measurements of a page and the blank page alternate.
 */
export async function benchRender(): Promise<Row[]> {
  const client = fork(new URL('./load.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const [website, blank] = [await openWebsite(), await openBlank()];
  const perCpuSecond = async (site: Website, { path, cookie }: Partial<Measured>, seconds: number) => {
    const before = await site.usage();
    const answer = once(client, 'message');
    client.send({
      url: site.url + (path ?? ''),
      cookie,
      connections: CONNECTIONS,
      seconds,
    } satisfies PageLoad);
    const [{ answered }] = (await answer) as [PagesLoaded];
    return answered / ((await site.usage()).cpuSeconds - before.cpuSeconds);
  };
  try {
    await perCpuSecond(blank, {}, WARM_UP_SECONDS);
    const rows: Row[] = [];
    for (const page of [...publicPages(), ...(await signedInPages(website))]) {
      await perCpuSecond(website, page, WARM_UP_SECONDS);
      const rates: Rates[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        rates.push({
          page: await perCpuSecond(website, page, ROUND_SECONDS),
          blank: await perCpuSecond(blank, {}, ROUND_SECONDS),
        });
      rows.push(rowOf(page, rates));
    }
    return [...rows, memoryRow((await website.usage()).megabytes)];
  } finally {
    client.disconnect();
    await website.stop();
    await blank.stop();
  }
}

function publicPages(): Measured[] {
  return PUBLIC_PAGES.map((path) => ({ path, leastShare: PUBLIC_SHARE }));
}

/** Those of a subscriber with forty codes. */
async function signedInPages({ url, hostUrl = '' }: Website): Promise<Measured[]> {
  const { cookie } = await createCustomer('Ada', { url, hostUrl });
  return ['/user/dashboard', '/user/qrcodes', await findCodePage(url, cookie)].map((path) => {
    return { path, cookie, leastShare: SIGNED_IN_SHARE, aimedShare: SIGNED_IN_AIM };
  });
}

/** Per second of CPU time. */
interface Rates {
  page: number;
  blank: number;
}

function rowOf({ path, leastShare, aimedShare }: Measured, rates: Rates[]): Row {
  const name = path.replace(/[\da-f-]{36}/, ':id');
  const shareOf = ({ page, blank }: Rates) => (page / blank) * 100;
  const share = median(rates, shareOf);
  return {
    what: `${name} rendered per second of one core`,
    figure: `${median(rates, ({ page }) => page).toFixed(0)}/s = ${spread(rates, shareOf)} %`,
    bar: `≥ ${leastShare} %`,
    ok: share >= leastShare,
    ...(aimedShare && { aim: { bar: `≥ ${aimedShare} %`, reached: share >= aimedShare } }),
    yardstick: `blank page ${median(rates, ({ blank }) => blank).toFixed(0)}/s`,
  };
}

function memoryRow(megabytes: number): Row {
  return {
    what: 'memory of the website after the load',
    figure: `${megabytes.toFixed(0)} MB`,
    bar: '≤ 250 MB',
    ok: megabytes <= 250,
  };
}
