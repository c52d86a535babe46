import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseCluster } from './cluster-database';
import { type Supervised, supervise } from './cluster-program';

export const INTERNAL_SECRET = 'a secret between the programs of the cluster';
const SECRET = 'a secret of the cluster that nobody else has seen';
const READY_TIMEOUT_MS = 120_000;
const SETTLE_SECONDS = 5;

export interface Programs {
  hosts: Supervised[];
  websites: Supervised[];
  /** Base URLs that visitors and websites call, respectively. */
  publicUrl: string;
  callsUrl: string;
  /** Resolves when a host or website accepts requests again. */
  ready(program: Supervised): Promise<void>;
  end(): Promise<void>;
}

/** Two hosts and two websites behind HAProxy, configured by `docs/production/haproxy.cfg`. */
export async function startPrograms(
  folder: string,
  port: number,
  database: DatabaseCluster,
): Promise<Programs> {
  const [publicPort, callsPort] = [port + 22, port + 23];
  const hostPorts = [port + 24, port + 25];
  const websitePorts = [port + 26, port + 27];
  const shared = {
    NODE_ENV: 'production',
    PUBLIC_URL: `http://127.0.0.1:${publicPort}`,
    TRUST_PROXY: 'x-forwarded-for',
    INTERNAL_SECRET,
    CHECK_DESTINATIONS: 'false',
    LOG_LEVEL: 'warn',
  };
  const hosts = hostPorts.map((hostPort, index) =>
    supervise(`host${index + 1}`, {
      command: [process.execPath, resolve('build/host/server.js')],
      log: join(folder, `host${index + 1}.log`),
      env: {
        ...shared,
        HOST_PORT: String(hostPort),
        HOST_URL: `http://127.0.0.1:${callsPort}`,
        DATABASE_URL: database.url,
        DATABASE_READ_URL: database.readUrl,
        DATA_DIR: join(folder, `host${index + 1}`),
        JWT_SECRET: SECRET,
      },
    }),
  );
  const websites = websitePorts.map((websitePort, index) =>
    supervise(`website${index + 1}`, {
      command: [process.execPath, 'runtime/launch.mjs', '--only=web'],
      log: join(folder, `website${index + 1}.log`),
      env: {
        ...shared,
        HOME: folder,
        PORT: String(websitePort),
        WEBSITE_PORT: String(websitePort + 2),
        HOST_URL: `http://127.0.0.1:${callsPort}`,
        DATA_DIR: join(folder, `website${index + 1}`),
        SESSION_SECRET: SECRET,
      },
    }),
  );
  const proxyFile = join(folder, 'programs.cfg');
  const proxied = readFileSync('docs/production/haproxy.cfg', 'utf8')
    .replace('bind :80', `bind 127.0.0.1:${publicPort}`)
    .replace('bind 127.0.0.1:4000', `bind 127.0.0.1:${callsPort}`)
    .replace(/127\.0\.0\.1:300(\d)/g, (_, number) => `127.0.0.1:${websitePorts[Number(number) - 1]}`)
    .replace(/127\.0\.0\.1:400([12])/g, (_, number) => `127.0.0.1:${hostPorts[Number(number) - 1]}`);
  writeFileSync(proxyFile, proxied);
  const proxy = supervise('haproxy', {
    command: ['haproxy', '-f', proxyFile],
    log: join(folder, 'programs.log'),
  });
  const portOf = new Map(
    [...hosts, ...websites].map((program, index) => [program, [...hostPorts, ...websitePorts][index]]),
  );
  const programs: Programs = {
    hosts,
    websites,
    publicUrl: shared.PUBLIC_URL,
    callsUrl: `http://127.0.0.1:${callsPort}`,
    ready: (program) => waitForStatus(`http://127.0.0.1:${portOf.get(program)}/readyz`),
    end: async () => {
      await proxy.end();
      await Promise.all([...websites, ...hosts].map((program) => program.end()));
    },
  };
  await Promise.all([...hosts, ...websites].map(programs.ready));
  await waitForStatus(`${programs.callsUrl}/readyz`);
  return programs;
}

/** Restarts programs one by one, each once the previous one is ready. */
export async function restartInTurn(
  programs: Programs,
  list: Supervised[],
  change?: { cwd: string },
): Promise<void> {
  for (const program of list) {
    await program.restart(change);
    await programs.ready(program);
    await delay(SETTLE_SECONDS * 1_000);
  }
}

/** A copy of this checkout with one more migration, as a first step of the next release might have. */
export function makeNextRelease(folder: string): string {
  const release = join(folder, 'next-release');
  mirror('.', release, 'host');
  mirror('host', join(release, 'host'), 'db');
  mirror('host/db', join(release, 'host/db'), 'migrations');
  const migrations = join(release, 'host/db/migrations');
  cpSync('host/db/migrations', migrations, { recursive: true });
  const file = join(migrations, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as {
    entries: { idx: number; when: number; tag: string }[];
  };
  const last = journal.entries.at(-1);
  if (!last) throw new Error('there are no migrations');
  const tag = `${String(last.idx + 1).padStart(4, '0')}_next_release`;
  const next = { ...last, idx: last.idx + 1, when: last.when + 1, tag };
  writeFileSync(file, JSON.stringify({ ...journal, entries: [...journal.entries, next] }));
  writeFileSync(
    join(migrations, `${tag}.sql`),
    `ALTER TABLE "codes" ADD COLUMN "next_release" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "next_release" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE TABLE "next_release" ("id" uuid PRIMARY KEY NOT NULL);`,
  );
  return release;
}

function mirror(from: string, to: string, except: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) if (name !== except) symlinkSync(resolve(from, name), join(to, name));
}

async function waitForStatus(url: string): Promise<void> {
  const until = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < until) {
    const isReady = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await delay(200);
  }
  throw new Error(`${url} is not ready after ${READY_TIMEOUT_MS / 1_000} seconds`);
}
