// The database of the programs that the launcher runs.
import { setTimeout as delay } from 'node:timers/promises';
import { restartDelay } from '../restart-delay.mjs';
import { EmbeddedPostgres, PostgresInUse, PostgresUnavailable } from './postgres.mjs';

const report = (text) => process.stderr.write(`${text}\n`);

/** Keeps the embedded server running until it is stopped. */
export class SupervisedPostgres {
  #server;
  #stopping = new AbortController();
  #isLocked = false;

  /** @param {EmbeddedPostgres} server */
  constructor(server) {
    this.#server = server;
  }

  /**
   * Prepares the server, and takes over one that still runs. Throws PostgresUnavailable, also if another launcher uses
   * it.
   *
   * @param {string} dataDir
   */
  static async open(dataDir) {
    const server = await EmbeddedPostgres.prepare(dataDir, { report });
    const supervised = new SupervisedPostgres(server);
    if (await server.adopt()) {
      await server.lock();
      supervised.#isLocked = true;
    }
    return supervised;
  }

  /** Connection string of the database, also while the server does not run. */
  get url() {
    return this.#server.url;
  }

  /**
   * Starts the server, and again whenever it ends, with growing delays if that does not help; resolves when it is
   * stopped. Throws PostgresInUse if another launcher was faster.
   */
  async run() {
    const { signal } = this.#stopping;
    let wasLocked = this.#isLocked;
    let lastReport = '';
    for (let failures = 0; !signal.aborted; failures += 1) {
      await delay(restartDelay(failures), undefined, { signal }).catch(() => undefined);
      try {
        if (!this.#isLocked) await this.#startAndLock();
        wasLocked = true;
        failures = 0;
        lastReport = '';
        await this.#server.untilLost();
        this.#isLocked = false;
        if (!signal.aborted)
          report(`PostgreSQL ended (${this.#server.lastWords || 'killed'}) and is started again.`);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof PostgresUnavailable) || (error instanceof PostgresInUse && !wasLocked))
          throw error;
        // Once: the attempts go on.
        if (error.message !== lastReport) report(`${error.message} Codes are still answered; trying again.`);
        lastReport = error.message;
      }
    }
  }

  async #startAndLock() {
    await this.#server.start();
    await this.#server.lock();
    this.#isLocked = true;
  }

  /**
   * Stops the server; at once if that takes longer than `ms`.
   *
   * @param {number} ms
   */
  async stop(ms) {
    this.#stopping.abort();
    await this.#server.stop(ms);
  }
}
