// Runs the PostgreSQL that npm has installed, for as long as the programs that use it.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../ports.mjs';
import { findSocketFolder, isAlive, isServer, PORT, readPidFile, removePidFile } from './address.mjs';
import { DATABASE_USER, preparePlace } from './place.mjs';
import { ENVIRONMENT, IS_WINDOWS, PostgresUnavailable, runProgram } from './programs.mjs';
import { settingsOf } from './settings.mjs';

export { PostgresUnavailable } from './programs.mjs';

/** Another launcher uses the server. */
export class PostgresInUse extends PostgresUnavailable {}

/** An arbitrary number: the advisory lock of the launcher that runs the server. */
const LAUNCHER_LOCK = 7_843_255;
const POLL_MS = 20;
const POLL_LOCK_MS = 100;
/** Recovery after a crash reads what was written since the last checkpoint. */
const START_MS = 120_000;
const CONNECT_MS = 5_000;
/** How long the server may take to notice that the launcher before was killed. */
const UNLOCK_MS = 2_000;
/** For stopping at once, of the time limit; what takes longer ends without this process. */
const IMMEDIATE_MS = 1_000;

/**
 * @typedef {object} Options
 * @property {boolean} [isDisposable] nothing has to survive a power cut, as in tests
 * @property {boolean} [onLoopback] listens at 127.0.0.1 with a generated password, as on Windows; elsewhere there is
 *   only a Unix socket in a private folder by default
 * @property {(text: string) => void} [report] receives sentences for the operator
 */

export class EmbeddedPostgres {
  #place;
  #isDisposable;
  #socketFolder = '';
  #port = PORT;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  #pid = 0;
  /** @type {pg.Client | null} */
  #lock = null;
  #lost = Promise.resolve();
  #lastWords = '';
  #isStopping = false;

  /** @param {import('./place.mjs').Place} place @param {Options} options */
  constructor(place, { isDisposable = false }) {
    this.#place = place;
    this.#isDisposable = isDisposable;
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

  /** What the server wrote before it ended; empty if nothing, or if it was started by another process. */
  get lastWords() {
    return this.#lastWords;
  }

  /** Takes over a server that already accepts connections on the folder; false if there is none. */
  async adopt() {
    const running = readPidFile(this.folder);
    if (!running || !(await this.#isOurs())) return false;
    this.#pid = running.pid;
    return true;
  }

  /**
   * Starts the server, or takes over one that still runs on the folder; resolves when it accepts connections, with
   * whether it was started. Throws PostgresUnavailable with the reason.
   */
  async start() {
    if (await this.adopt()) return false;
    const running = readPidFile(this.folder);
    if (running && isAlive(running.pid)) {
      this.#pid = running.pid;
      if (!isServer(running.pid, this.folder)) removePidFile(this.folder);
      else if (await this.#untilReady(() => isAlive(running.pid))) return false;
    }
    if (this.#isStopping) throw new PostgresUnavailable('PostgreSQL was stopped.');
    const child = this.#spawn();
    this.#child = child;
    this.#pid = child.pid ?? 0;
    let failure = '';
    child.once('error', (error) => {
      failure = error.message;
    });
    const isReady = await this.#untilReady(() => failure === '' && isRunning(child));
    if (isReady) return true;
    throw new PostgresUnavailable(
      `The database in ${this.folder} does not start (${failure || this.#lastWords || 'without a reason'}).`,
    );
  }

  /**
   * Keeps other launchers off this server as long as this process lives; throws PostgresInUse if one already runs, and
   * PostgresUnavailable if the server is gone again.
   */
  async lock() {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'launcher',
    });
    client.on('error', () => undefined);
    const lost = new Promise((resolve) => client.once('end', resolve));
    try {
      await client.connect();
      await this.#untilLocked(client);
    } catch (error) {
      hangUp(client);
      if (error instanceof PostgresUnavailable) throw error;
      throw new PostgresUnavailable(`The database in ${this.folder} is gone again (${error.message}).`);
    }
    this.#lock = client;
    this.#lost = lost;
  }

  async #untilLocked(client) {
    const askedAt = performance.now();
    for (;;) {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as "isFree"', [LAUNCHER_LOCK]);
      if (rows[0].isFree) return;
      if (performance.now() - askedAt > UNLOCK_MS)
        throw new PostgresInUse(
          `Quadrille already runs on ${this.#place.dataDir}: stop it, or set another DATA_DIR.`,
        );
      await delay(POLL_LOCK_MS);
    }
  }

  /** Resolves when the server has ended the connection with the lock: it was stopped or killed, or has crashed. */
  async untilLost() {
    await this.#lost;
    this.#lock = null;
  }

  /**
   * Stops the server after all that is committed is in its tables' files; at once if that would take longer than `ms`:
   * the next start then recovers it from the log.
   */
  async stop(ms = START_MS) {
    this.#isStopping = true;
    hangUp(this.#lock);
    const immediateMs = Math.min(IMMEDIATE_MS, ms / 2);
    if (!(await this.#end('fast', ms - immediateMs))) await this.#end('immediate', immediateMs);
    if (this.#socketFolder !== this.folder) fs.rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  /** Lets the server run on without this process. */
  async leave() {
    hangUp(this.#lock);
    this.#child?.unref();
    this.#child?.stderr?.destroy();
  }

  /** Where a running server listens, or a new one will. */
  async #chooseAddress() {
    const found = readPidFile(this.folder);
    if (found) {
      this.#port = found.port;
      this.#socketFolder = found.socketFolder;
      if (isServer(found.pid, this.folder) || (await this.#isOurs())) return;
    }
    if (this.#place.password) this.#port = await findFreePort();
    else {
      this.#port = PORT;
      this.#socketFolder = await findSocketFolder(this.folder, this.#place.user, found?.socketFolder);
    }
  }

  /** False if `isRunning` turned false, or too much time passed. */
  async #untilReady(isRunning) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < START_MS) {
      if (!isRunning()) return false;
      if (readPidFile(this.folder)?.isReady && (await this.#isOurs())) return true;
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
      return fs.realpathSync(rows[0].data_directory) === this.folder;
    } catch {
      return false;
    } finally {
      hangUp(client);
    }
  }

  #spawn() {
    const { bin, folder, user, password } = this.#place;
    this.#lastWords = '';
    const settings = {
      ...settingsOf(this.#isDisposable),
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
    createInterface(child.stderr).on('line', (line) => this.#listen(line));
    return child;
  }

  /** Keeps the last line about the server itself, not about one of its connections. */
  #listen(line) {
    const [, from = '', severity, words] = /^(.*?)(FATAL|PANIC):\s+(.+)$/.exec(line) ?? [];
    if (severity === 'PANIC' || (severity && !from.startsWith('client backend'))) this.#lastWords = words;
    // Such as of the system's loader.
    else if (!/^[\w ]+: +[A-Z]+: /.test(line)) this.#lastWords ||= line.trim();
  }

  /** Ends the server in one of the modes of pg_ctl; false if it did not end in time. */
  async #end(mode, ms) {
    const child = this.#child;
    const isOwn = child !== null && child.pid === this.#pid;
    const isGone = isOwn ? () => !isRunning(child) : () => !isServer(this.#pid, this.folder);
    if (isGone()) return true;
    if (IS_WINDOWS) {
      const args = ['stop', `--pgdata=${this.folder}`, `--mode=${mode}`, '--no-wait'];
      runProgram(this.#place.bin, 'pg_ctl', args, null);
    } else process.kill(this.#pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    const askedAt = performance.now();
    while (!isGone()) {
      if (performance.now() - askedAt > ms) return false;
      await delay(POLL_MS);
    }
    return true;
  }
}

/** Without a farewell, for which a frozen server would be waited for. */
function hangUp(client) {
  client?.connection.stream.destroy();
}

function isRunning(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
