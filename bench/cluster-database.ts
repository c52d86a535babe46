import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Supervised, supervise } from './cluster-program';

const EXAMPLES = 'docs/production/cluster';
const POSTGRES = '/usr/lib/postgresql';
const NODES = [0, 1, 2];
const READY_MS = 180_000;

export interface DatabaseCluster {
  url: string;
  readUrl: string;
  etcd: Supervised[];
  nodes: Supervised[];
  /** Index of the primary, the node that accepts writes; null while there is none. */
  leader(): Promise<number | null>;
  /** Resolves when there is a primary with this many streaming replicas, at least one of them synchronous. */
  healthy(replicas: number): Promise<void>;
  /** Kills a node as a power failure would; its supervisor restarts it after `downMs`. */
  kill(node: number, downMs: number): Promise<void>;
  /** Switches writes over to a node that is fully in sync. */
  switchOver(from: number): Promise<void>;
  end(): Promise<void>;
}

/** Required programs that are not installed. */
export function missingPrograms(): string[] {
  const found = (name: string) =>
    ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) => existsSync(join(folder, name)));
  const missing = ['patroni', 'etcd', 'haproxy'].filter((name) => !found(name));
  return existsSync(POSTGRES) ? missing : [...missing, 'postgresql'];
}

/** Three nodes each of etcd and PostgreSQL with Patroni, and HAProxy, as in `docs/production/cluster/`. */
export async function startDatabases(folder: string, port: number): Promise<DatabaseCluster> {
  const user = postgresUser();
  chmodSync(folder, 0o755);
  const etcdPorts = NODES.map((node) => ({ client: port + node, peer: port + 3 + node }));
  const restPorts = NODES.map((node) => port + 10 + node);
  const serverPorts = NODES.map((node) => port + 13 + node);
  const own = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };

  const members = etcdPorts.map(({ peer }, node) => `etcd${node}=http://127.0.0.1:${peer}`).join(',');
  const etcd = etcdPorts.map(({ client, peer }, node) => {
    const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    // Longer timeouts, because all nodes share one machine and responses are sometimes late.
    const timeouts = ['--heartbeat-interval', '500', '--election-timeout', '5000'];
    const command = ['etcd', '--name', `etcd${node}`, '--data-dir', join(folder, `etcd${node}`), ...timeouts];
    command.push('--listen-client-urls', clients, '--advertise-client-urls', clients);
    command.push('--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers);
    command.push('--initial-cluster', members);
    return supervise(`etcd${node}`, { command, log: join(folder, `etcd${node}.log`) });
  });

  const data = NODES.map((node) => join(own(`node${node}`), 'data'));
  const nodes = NODES.map((node) => {
    const file = join(folder, `patroni${node}.yml`);
    const example = readFileSync(join(EXAMPLES, 'patroni.yml'), 'utf8')
      .replace('name: node1', `name: node${node}`)
      .replace(/hosts: .*/, `hosts: ${etcdPorts.map(({ client }) => `127.0.0.1:${client}`).join(',')}`)
      .replaceAll('127.0.0.1:8008', `127.0.0.1:${restPorts[node]}`)
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${serverPorts[node]}`)
      .replace(/data_dir: .*/, `data_dir: ${data[node]}`)
      .replace(
        /bin_dir: .*/,
        `bin_dir: ${serverPrograms()}\n  pgpass: ${join(folder, `node${node}`, 'pgpass')}`,
      );
    writeFileSync(file, example);
    return supervise(`node${node}`, {
      command: ['patroni', file],
      log: join(folder, `node${node}.log`),
      cwd: '/',
      user,
    });
  });

  const proxyFile = join(folder, 'databases.cfg');
  const proxied = readFileSync(join(EXAMPLES, 'haproxy.cfg'), 'utf8')
    .replace('127.0.0.1:5000', `127.0.0.1:${port + 20}`)
    .replace('127.0.0.1:5001', `127.0.0.1:${port + 21}`)
    .replace(/server node(\d) .*/g, (_, number) => {
      const node = Number(number) - 1;
      return `server node${node} 127.0.0.1:${serverPorts[node]} port ${restPorts[node]}`;
    });
  writeFileSync(proxyFile, proxied);
  const proxy = supervise('haproxy', {
    command: ['haproxy', '-f', proxyFile],
    log: join(folder, 'databases.log'),
  });

  const callPatroni = (node: number, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${restPorts[node]}${path}`, { ...init, signal: AbortSignal.timeout(2_000) });
  const isLeader = (node: number) =>
    callPatroni(node, '/primary').then(
      ({ status }) => status === 200,
      () => false,
    );
  const url = `postgres://postgres:change-me-superuser@127.0.0.1:${port + 20}/postgres`;

  async function leader(): Promise<number | null> {
    const answers = await Promise.all(NODES.map(isLeader));
    const found = answers.indexOf(true);
    return found === -1 ? null : found;
  }

  async function healthy(replicas: number): Promise<void> {
    const until = performance.now() + READY_MS;
    const text = "select count(*)::int as n from pg_stat_replication where state = 'streaming'";
    const synced = `${text} and sync_state = 'sync'`;
    while (performance.now() < until) {
      const [streaming, synchronous] = await Promise.all([readNumber(url, text), readNumber(url, synced)]);
      if (streaming >= replicas && synchronous >= 1) return;
      await delay(250);
    }
    throw new Error(`no primary with ${replicas} replicas within ${READY_MS / 1_000} seconds`);
  }

  return {
    url,
    readUrl: url.replace(`:${port + 20}/`, `:${port + 21}/`),
    etcd,
    nodes,
    leader,
    healthy,
    kill: async (node, downMs) => {
      const killed = nodes[node]?.kill(downMs);
      killServer(data[node] ?? '');
      await killed;
    },
    switchOver: async (from) => {
      const body = JSON.stringify({ leader: `node${from}` });
      const headers = { 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${restPorts[from]}/switchover`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`no switchover: ${await answer.text()}`);
    },
    end: async () => {
      await proxy.end();
      await Promise.all(nodes.map((node) => node.end()));
      for (const folder of data) killServer(folder);
      await Promise.all(etcd.map((one) => one.end()));
    },
  };
}

async function readNumber(url: string, text: string): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<{ n: number }>(text)).rows[0]?.n ?? 0;
  } catch {
    return 0;
  } finally {
    client.end().catch(() => undefined);
  }
}

function killServer(data: string): void {
  try {
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  } catch {
    // The server is not running.
  }
}

function serverPrograms(): string {
  const newest = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))[0];
  return join(POSTGRES, newest ?? '', 'bin');
}

/** PostgreSQL refuses to run as root. */
function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: id('-u'), gid: id('-g') };
}
