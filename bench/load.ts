import { Agent, get } from 'node:http';

export interface PageLoad {
  url: string;
  /** Sent as the Cookie header. */
  cookie?: string | undefined;
  connections: number;
  seconds: number;
}

export interface PagesLoaded {
  answered: number;
  perSecond: number;
}

process.on('message', (load: PageLoad) => {
  run(load).then((loaded) => process.send?.(loaded));
});

/** Keep-alive connections, each requesting the page again as soon as it has fully arrived. */
async function run({ url, cookie, connections, seconds }: PageLoad): Promise<PagesLoaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const started = performance.now();
  const until = started + seconds * 1000;
  let answered = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await fetchPage(url, cookie, agent);
        answered += 1;
      }
    }),
  );
  agent.destroy();
  return { answered, perSecond: answered / ((performance.now() - started) / 1000) };
}

function fetchPage(url: string, cookie: string | undefined, agent: Agent): Promise<void> {
  const headers = {
    Accept: 'text/html',
    'Accept-Language': 'en-GB,en;q=0.9',
    ...(cookie !== undefined && { Cookie: cookie }),
  };
  return new Promise((arrived, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume().once('end', arrived).once('error', reject);
    }).once('error', reject);
  });
}
