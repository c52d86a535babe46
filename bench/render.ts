import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { PageLoad, PagesLoaded } from './load';
import type { Row } from './row';
import { openBlank, openWebsite, type Website } from './website';

const CONNECTIONS = 8;
const ROUNDS = 5;
const ROUND_SECONDS = 1.5;
const WARM_UP_SECONDS = 3;

/**
 * Uncompressed pages per second of CPU time, so that other load on the machine affects neither side.
 * Measurements of the home and the blank page alternate.
 */
export async function benchRender(): Promise<Row[]> {
  const client = fork(new URL('./load.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const load = async ({ url }: Website, seconds: number): Promise<PagesLoaded> => {
    const answer = once(client, 'message');
    client.send({ url, connections: CONNECTIONS, seconds } satisfies PageLoad);
    const [loaded] = await answer;
    return loaded;
  };
  const perCpuSecond = async (website: Website) => {
    const before = await website.usage();
    const { answered } = await load(website, ROUND_SECONDS);
    const after = await website.usage();
    return answered / (after.cpuSeconds - before.cpuSeconds);
  };

  const [website, blank] = [await openWebsite(), await openBlank()];
  const rates: { home: number; blank: number }[] = [];
  try {
    for (const site of [website, blank]) await load(site, WARM_UP_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.push({ home: await perCpuSecond(website), blank: await perCpuSecond(blank) });
    }
    const { megabytes } = await website.usage();
    return [...rowsOf(rates), memoryRow(megabytes)];
  } finally {
    client.disconnect();
    await website.stop();
    await blank.stop();
  }
}

function rowsOf(rates: { home: number; blank: number }[]): Row[] {
  const [home, blank] = [median(rates.map((rate) => rate.home)), median(rates.map((rate) => rate.blank))];
  const share = median(rates.map((rate) => (rate.home / rate.blank) * 100));
  return [
    {
      what: 'home rendered per second of one core',
      figure: `${home.toFixed(0)}/s = ${share.toFixed(0)} %`,
      bar: '≥ 60 %',
      ok: share >= 60,
      yardstick: `blank page ${blank.toFixed(0)}/s`,
    },
  ];
}

function memoryRow(megabytes: number): Row {
  return {
    what: 'memory of the website after the load',
    figure: `${megabytes.toFixed(0)} MB`,
    bar: '≤ 250 MB',
    ok: megabytes <= 250,
  };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
