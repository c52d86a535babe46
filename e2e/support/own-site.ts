import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { WEB_PORT } from './ports';

const START_TIMEOUT_MS = 60_000;
const FIRST_PORT = WEB_PORT + 40;
const PORTS_PER_WORKER = 10;

/** A separate website with its own host and clock. */
export interface OwnSite {
  baseURL: string;
  hostURL: string;
  /** Creates an account on this site. */
  account(): Promise<{ email: string; password: string }>;
  /** Shifts the clock forwards or back (negative) without running due work. */
  shift(ms: number): Promise<void>;
  /** Advances the clock, for example by `2d 1h`, and runs all work that falls due. */
  advance(by: string): Promise<void>;
  /** Path and query of the newest link to this page that was mailed to an address. */
  mailedPath(to: string, pathname: string): Promise<string>;
  close(): Promise<void>;
}

/** URL of a worker's own site, known before the site starts. */
export function ownSiteURL(parallelIndex: number): string {
  return `http://localhost:${portOf(parallelIndex)}`;
}

function portOf(parallelIndex: number): number {
  return FIRST_PORT + PORTS_PER_WORKER * parallelIndex;
}

/** Starts a site on the worker's own ports; `settings` are extra environment variables of its website. */
export async function startOwnSite(
  parallelIndex: number,
  settings: Record<string, string> = {},
): Promise<OwnSite> {
  const port = portOf(parallelIndex);
  const baseURL = ownSiteURL(parallelIndex);
  const hostURL = `http://127.0.0.1:${port + 1}`;
  const program = spawn(process.execPath, ['--import', 'tsx', 'e2e/support/serve.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...settings, E2E_PORT: String(port) },
  });
  await untilReady(program, [baseURL, hostURL]).catch((error: unknown) => {
    program.kill('SIGTERM');
    throw error;
  });
  return {
    baseURL,
    hostURL,
    account: async () => {
      const body = { method: 'POST', body: '{}' };
      return (await fetchJson(`http://127.0.0.1:${port + 2}/account`, body)) as {
        email: string;
        password: string;
      };
    },
    shift: async (ms) => {
      await fetchJson(`http://127.0.0.1:${port + 2}/advance`, {
        method: 'POST',
        body: JSON.stringify({ ms }),
      });
    },
    advance: async (by) => {
      await fetchJson(`${hostURL}/sandbox/clock`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ advance: by }),
      });
    },
    mailedPath: async (to, pathname) => {
      const { data } = (await fetchJson(`${hostURL}/mailbox.json`)) as {
        data: { to: string; links: string[] }[];
      };
      const links = data.filter((mail) => mail.to === to).flatMap((mail) => mail.links);
      const link = links.map((one) => new URL(one)).find((url) => url.pathname === pathname);
      if (!link) throw new Error(`no mail to ${to} leads to ${pathname}`);
      return link.pathname + link.search;
    },
    close: async () => {
      if (program.exitCode !== null) return;
      program.kill('SIGTERM');
      await once(program, 'exit');
    },
  };
}

async function fetchJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function untilReady(program: ChildProcess, urls: string[]): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isUp = (url: string) =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await Promise.all(urls.map(isUp))).every(Boolean)) {
    if (program.exitCode !== null || Date.now() > deadline) throw new Error('the site did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
