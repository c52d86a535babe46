// Runs the PostgreSQL that npm has installed, for as long as the programs that use it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DATABASE_USER, ENVIRONMENT, PostgresUnavailable, preparePlace } from './postgres-place.mjs';

export { PostgresUnavailable } from './postgres-place.mjs';

const PORT = 5432;
/** An arbitrary number: the advisory lock of the launcher that runs the server. */
const LAUNCHER_LOCK = 7_843_255;
const PID_FILE = 'postmaster.pid';
/** Bytes of a socket's path that every system takes. */
const MAX_SOCKET_PATH = 100;
const POLL_MS = 20;
const POLL_GONE_MS = 200;
/** Recovery after a crash reads what was written since the last checkpoint. */
const START_MS = 120_000;
const STOP_MS = 5_000;
const CONNECT_MS = 5_000;

const SETTINGS = {
  // Errors of statements are reported by the programs that send them.
  log_min_messages: 'fatal',
  max_connections: '60',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  // Nothing copies this server while it runs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // One process per connection is enough on the machines this is for.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
};
const durability = (value) => ({ fsync: value, synchronous_commit: value, full_page_writes: value });

/**
 * @typedef {object} Options
 * @property {boolean} [isDisposable] nothing has to survive a power cut, as in tests
 * @property {boolean} [onLoopback] listens at 127.0.0.1 with a generated password, as on Windows; elsewhere there is
 *   only a Unix socket in a private folder by default
 * @property {(text: string) => void} [report] receives sentences for the operator, and what the server logs
 */

export class EmbeddedPostgres {
  #place;
  #isDisposable;
  #report;
  #socketFolder = '';
  #port = PORT;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  #pid = 0;
  /** @type {pg.Client | null} */
  #lock = null;
  #lastWords = '';

  /** @param {import('./postgres-place.mjs').Place} place @param {Options} options */
  constructor(place, { isDisposable = false, report = () => undefined }) {
    this.#place = place;
    this.#isDisposable = isDisposable;
    this.#report = report;
  }

  /**
   * Finds the programs and the data folder `DATA_DIR/postgres`, which is created if it does not exist. The server does
   * not run yet, but its URL is known. Throws PostgresUnavailable.
   *
   * @param {string} dataDir
   * @param {Options} [options]
   */
  static async prepare(dataDir, options = {}) {
    const { report = () => undefined } = options;
    const server = new EmbeddedPostgres(preparePlace(dataDir, { ...options, report }), options);
    await server.#chooseAddress();
    return server;
  }

  /** Connection string of the database. */
  get url() {
    const { password } = this.#place;
    if (password) return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${this.#port}/postgres`;
    return `postgres://${DATABASE_USER}@localhost/postgres?host=${encodeURIComponent(this.#socketFolder)}`;
  }

  get folder() {
    return this.#place.folder;
  }

  /** Id of the server's main process; 0 before the first start. */
  get pid() {
    return this.#pid;
  }

  /**
   * Starts the server, or takes over one that still runs on the folder; resolves when it accepts connections, with
   * whether it was started. Throws PostgresUnavailable with the reason.
   */
  async start() {
    const running = this.#readPidFile();
    if (running && (await this.#isOurs())) {
      this.#pid = running.pid;
      return false;
    }
    if (running && isAlive(running.pid)) {
      this.#pid = running.pid;
      if (!isServer(running.pid, this.folder)) fs.rmSync(join(this.folder, PID_FILE));
      else if (await this.#untilReady(() => isAlive(running.pid))) return false;
    }
    const child = this.#spawn();
    this.#child = child;
    let failure = '';
    child.once('error', (error) => {
      failure = error.message;
    });
    const isReady = await this.#untilReady(
      () => failure === '' && child.exitCode === null && !child.signalCode,
    );
    this.#pid = child.pid ?? 0;
    if (isReady) return true;
    throw new PostgresUnavailable(
      `The database in ${this.folder} does not start (${failure || this.#lastWords || 'without a reason'}).`,
    );
  }

  /**
   * Keeps other launchers off this server as long as this process lives; throws PostgresUnavailable if one already runs.
   */
  async lock() {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'launcher',
    });
    // The server is gone, which `untilGone` notices.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query('select pg_try_advisory_lock($1) as "isFree"', [LAUNCHER_LOCK]);
    this.#lock = client;
    if (rows[0].isFree) return;
    await client.end();
    throw new PostgresUnavailable(
      `Quadrille already runs on ${this.#place.dataDir}: stop it, or set another DATA_DIR.`,
    );
  }

  /** Resolves when the server is gone, whoever started it. */
  async untilGone() {
    const child = this.#child;
    if (child && child.pid === this.#pid) {
      if (child.exitCode === null && !child.signalCode) await once(child, 'exit');
    } else while (isAlive(this.#pid)) await delay(POLL_GONE_MS);
  }

  /** Stops the server after all that is committed is on disk. */
  async stop() {
    await this.#lock?.end().catch(() => undefined);
    if (isAlive(this.#pid) && !(await this.#runControl('fast'))) await this.#runControl('immediate');
    if (this.#socketFolder !== this.folder) fs.rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  /** Where a running server listens, or a new one will. */
  async #chooseAddress() {
    const found = this.#readPidFile();
    if (found) {
      this.#port = found.port;
      this.#socketFolder = found.socketFolder;
      if (isAlive(found.pid) || (await this.#isOurs())) return;
    }
    if (this.#place.password) this.#port = await findFreePort();
    else {
      this.#port = PORT;
      this.#socketFolder = await this.#findSocketFolder();
    }
  }

  /** The data folder, which is private, or a private one with a shorter path, or on a file system that has sockets. */
  async #findSocketFolder() {
    const socket = join(this.folder, `.s.PGSQL.${PORT}`);
    if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH && (await canListen(socket))) return this.folder;
    const folder = fs.mkdtempSync(join(tmpdir(), 'quadrille-'));
    const { user } = this.#place;
    if (user) fs.chownSync(folder, user.uid, user.gid);
    return folder;
  }

  /** What the file of a running server, or of one that was killed, says about it. */
  #readPidFile() {
    const file = join(this.folder, PID_FILE);
    if (!fs.existsSync(file)) return null;
    const [pid, , , port, socketFolder, , , status = ''] = fs.readFileSync(file, 'utf8').split('\n');
    return { pid: Number(pid), port: Number(port), socketFolder, isReady: status.trim() === 'ready' };
  }

  /** False if `isRunning` turned false, or too much time passed. */
  async #untilReady(isRunning) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < START_MS) {
      if (!isRunning()) return false;
      if (this.#readPidFile()?.isReady && (await this.#isOurs())) return true;
      await delay(POLL_MS);
    }
    return false;
  }

  /** Whether the server of this folder accepts connections, even if it runs where its process is not visible. */
  async #isOurs() {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query('show data_directory');
      return fs.realpathSync(rows[0].data_directory) === fs.realpathSync(this.folder);
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #spawn() {
    const { bin, folder, user, password } = this.#place;
    this.#lastWords = '';
    const settings = {
      ...SETTINGS,
      ...durability(this.#isDisposable ? 'off' : 'on'),
      listen_addresses: password ? '127.0.0.1' : '',
      port: String(this.#port),
      unix_socket_directories: this.#socketFolder,
      unix_socket_permissions: '0700',
    };
    const child = spawn(
      join(bin, 'postgres'),
      ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...(user && { uid: user.uid, gid: user.gid }),
        env: ENVIRONMENT,
        cwd: '/',
        // In its own process group: the terminal's Ctrl-C must not end it before the host.
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    child.stderr.setEncoding('utf8').on('data', (text) => {
      const words = /(?:FATAL|PANIC):\s*(.+)/.exec(text)?.[1] ?? text.trim();
      this.#lastWords = words || this.#lastWords;
      this.#report(`PostgreSQL: ${text.trim()}`);
    });
    return child;
  }

  /** Stops the server in one of the modes of pg_ctl; false if it did not stop in time. */
  async #runControl(mode) {
    const { bin, folder, user } = this.#place;
    const args = ['stop', `--pgdata=${folder}`, `--mode=${mode}`, `--timeout=${STOP_MS / 1000}`];
    const ids = user && { uid: user.uid, gid: user.gid };
    const child = spawn(join(bin, 'pg_ctl'), args, { ...ids, env: ENVIRONMENT, cwd: '/', stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code === 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return pid > 0;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** An id may belong to another program since the server was killed. */
function isServer(pid, folder) {
  if (!fs.existsSync(`/proc/${process.pid}/cwd`)) return true;
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

async function canListen(path) {
  const server = createServer();
  const isListening = new Promise((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
  });
  server.listen(path);
  const result = await isListening;
  if (result) await new Promise((resolve) => server.close(resolve));
  return result;
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
