import { CpuBudget } from './cpu-budget';
import { FairQueue, type QueueKey, type QueueLimits } from './fair-queue';
import { PoolRefusal, TaskFailed, TaskKilled } from './pool-errors';
import type { TaskReply, TaskTable } from './serve-tasks';
import { type Program, startWorkerProcess, type WorkerProcess } from './worker-process';

export interface PoolSettings extends Program {
  /** How many processes there are at most; of several, strangers use all but one. */
  processes: number;
  queue: QueueLimits;
  /** Processor time of strangers in one network; those who have used more come after all others. Ten seconds if absent. */
  strangersMsPerMinute?: number;
  /** How long a task may wait in the queue. */
  waitMs: number;
  /** How long an idle process is kept; forever when absent. */
  idleMs?: number;
  /** A process whose resident memory exceeds this after a task is replaced. */
  retireBytes: number;
  /** Error classes that tasks throw and that callers want to test with `instanceof`. */
  errors?: (new (
    message: string,
  ) => Error)[];
}

export interface TaskOptions {
  client: Client;
  cpuMs: number;
  /** Limit of elapsed time, which on a busy machine is far more than the processor time. */
  timeoutMs: number;
  /** Removes the task from the queue, for example when its client has disconnected; a running task is finished. */
  signal?: AbortSignal | undefined;
}

/** Whose task it is: the account, if signed in, and the networks of the IP address, narrowest first. */
export interface Client {
  account?: string | undefined;
  networks: readonly string[];
}

export interface PoolLoad {
  busy: number;
  /** The most there may be. */
  processes: number;
  waiting: number;
  /** Tasks refused since the start because the queue was full or the wait too long. */
  refused: number;
  /** Tasks killed since the start for too much time or memory. */
  killed: number;
}

interface Job extends QueueKey {
  task: string;
  input: unknown;
  cpuMs: number;
  timeoutMs: number;
  /** Clears the wait timer and the abort listener. */
  stopWaiting(): void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Slot {
  worker: WorkerProcess;
  state: 'starting' | 'idle' | 'busy';
  idleTimer?: NodeJS.Timeout | undefined;
}

const RETRY_CLIENT_SECONDS = 5;
const RETRY_BUSY_SECONDS = 10;
const LANES = { account: 0, stranger: 1, heavyStranger: 2 };
const STRANGERS_MS_PER_MINUTE = 10_000;

/**
 * A few worker processes for tasks that may be slow, use much memory or never end, such as drawing what strangers
 * upload: native code in threads of this process could be neither limited nor stopped. Tasks wait in a fair queue, and
 * each owner has one running at a time, so that nobody can occupy the whole pool. Accounts come before strangers, who
 * leave one process free.
 */
export class ProcessPool<Tasks extends TaskTable> {
  readonly #settings: PoolSettings;
  readonly #queue: FairQueue<Job>;
  readonly #slots = new Set<Slot>();
  readonly #working = new Set<Job>();
  readonly #budget: CpuBudget;
  #isWarm = false;
  #refused = 0;
  #killed = 0;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#queue = new FairQueue<Job>(settings.queue);
    this.#budget = new CpuBudget(settings.strangersMsPerMinute ?? STRANGERS_MS_PER_MINUTE);
  }

  /**
   * Runs a task in a worker process. Rejects with `PoolRefusal`, `TaskKilled`, the signal's reason or the task's error,
   * which is a `TaskFailed` unless its class is among `errors`.
   */
  run<Name extends keyof Tasks & string>(
    task: Name,
    input: Parameters<Tasks[Name]>[0],
    { client, cpuMs, timeoutMs, signal }: TaskOptions,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const key = queueKeyOf(client);
    if (key.lane !== LANES.account && this.#budget.isExceeded(key.networks, performance.now()))
      key.lane = LANES.heavyStranger;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#queue.reachedLimit(key)) {
        this.#refused += 1;
        throw refusal('client');
      }
      const leave = (error: unknown) => {
        if (!this.#queue.remove(job)) return;
        job.stopWaiting();
        reject(error);
      };
      const onAbort = () => leave(signal?.reason);
      const timer = setTimeout(() => {
        this.#refused += 1;
        leave(refusal('busy'));
      }, this.#settings.waitMs);
      const job: Job = {
        ...key,
        task,
        input,
        cpuMs,
        timeoutMs,
        resolve,
        reject,
        stopWaiting: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const last = this.#queue.add(job);
      if (last) {
        this.#refused += 1;
        last.stopWaiting();
        last.reject(refusal('busy'));
      }
      this.#dispatch();
    });
  }

  /** Whether tasks of clients other than these are waiting. */
  hasOthersWaiting(clients: Client[]): boolean {
    const own = new Set(clients.map((client) => queueKeyOf(client).owner));
    return this.#queue.countOwners(({ owner }) => !own.has(owner)) > 0;
  }

  load(): PoolLoad {
    return {
      busy: [...this.#slots].filter(({ state }) => state === 'busy').length,
      processes: this.#settings.processes,
      waiting: this.#queue.size,
      refused: this.#refused,
      killed: this.#killed,
    };
  }

  /** Starts all processes ahead of the first task. */
  warm(): void {
    this.#isWarm = true;
    this.#startSlots(this.#settings.processes - this.#slots.size);
  }

  close(): void {
    this.#isWarm = false;
    for (const slot of [...this.#slots]) {
      this.#slots.delete(slot);
      slot.worker.kill();
    }
  }

  #mayStart({ owner, lane }: Job): boolean {
    const running = [...this.#working];
    if (running.some((job) => job.owner === owner)) return false;
    if (lane === LANES.account) return true;
    const strangers = running.filter((job) => job.lane !== LANES.account).length;
    return strangers < Math.max(1, this.#settings.processes - 1);
  }

  #dispatch(): void {
    const mayStart = (job: Job) => this.#mayStart(job);
    for (const slot of this.#slots) {
      const job = slot.state === 'idle' && this.#queue.take(mayStart);
      if (job) this.#runJob(slot, job);
    }
    const starting = [...this.#slots].filter(({ state }) => state === 'starting').length;
    const missing = this.#queue.countOwners(mayStart) - starting;
    this.#startSlots(Math.min(missing, this.#settings.processes - this.#slots.size));
  }

  /** Ends at the first process that cannot be created. */
  #startSlots(count: number): void {
    for (let n = 0; n < count; n += 1) if (!this.#startSlot()) break;
  }

  /** Returns false if no process could be created; a created one may still fail to start. */
  #startSlot(): boolean {
    let slot: Slot;
    try {
      slot = { worker: startWorkerProcess(this.#settings), state: 'starting' };
    } catch (error) {
      // The machine has no room for another one.
      this.#giveUpWithoutSlots(error);
      return false;
    }
    this.#slots.add(slot);
    slot.worker.onExit(() => {
      clearTimeout(slot.idleTimer);
      const wasUp = this.#slots.delete(slot) && slot.state !== 'starting';
      if (wasUp && this.#isWarm) this.warm();
      if (wasUp) this.#dispatch();
    });
    slot.worker.ready.then(
      () => this.#markIdle(slot),
      (error: unknown) => {
        this.#slots.delete(slot);
        this.#giveUpWithoutSlots(error);
      },
    );
    return true;
  }

  /** Retrying now would fail the same way; the next task retries. */
  #giveUpWithoutSlots(error: unknown): void {
    if (this.#slots.size > 0) return;
    for (let job = this.#queue.take(() => true); job; job = this.#queue.take(() => true)) {
      job.stopWaiting();
      job.reject(error);
    }
  }

  #markIdle(slot: Slot): void {
    slot.state = 'idle';
    if (this.#settings.idleMs !== undefined) {
      slot.idleTimer = setTimeout(() => this.#retire(slot), this.#settings.idleMs);
      slot.idleTimer.unref();
    }
    this.#dispatch();
  }

  async #runJob(slot: Slot, job: Job): Promise<void> {
    clearTimeout(slot.idleTimer);
    slot.state = 'busy';
    this.#working.add(job);
    job.stopWaiting();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      slot.worker.kill();
    }, job.timeoutMs);
    const { task, input, cpuMs } = job;
    const reply = await slot.worker.ask({ task, input, cpuMs }).catch((error: Error) => error);
    clearTimeout(timer);
    this.#working.delete(job);
    if (reply instanceof Error) {
      job.reject(reply);
      return this.#markIdle(slot);
    }
    if (job.lane !== LANES.account)
      this.#budget.charge(job.networks, reply ? reply.usedCpuMs : cpuMs, performance.now());
    if (!reply) {
      const reason = isTimedOut ? 'timeout' : slot.worker.exceededCpuTime() ? 'time' : 'memory';
      this.#killed += 1;
      this.#retire(slot);
      job.reject(new TaskKilled(reason, slot.worker.stderrTail()));
      return;
    }
    if ('error' in reply) job.reject(this.#errorOf(reply.error));
    else job.resolve(reply.result);
    if (reply.memoryBytes > this.#settings.retireBytes) this.#retire(slot);
    else this.#markIdle(slot);
  }

  /** Kills a process and frees its slot at once. */
  #retire(slot: Slot): void {
    clearTimeout(slot.idleTimer);
    this.#slots.delete(slot);
    slot.worker.kill();
    if (this.#isWarm) this.warm();
    this.#dispatch();
  }

  #errorOf({ name, message, stack }: Extract<TaskReply, { error: unknown }>['error']): Error {
    const Class = this.#settings.errors?.find((Known) => new Known('').name === name) ?? TaskFailed;
    return Object.assign(new Class(message), { name, stack });
  }
}

function queueKeyOf({ account, networks }: Client): QueueKey {
  return account === undefined
    ? { lane: LANES.stranger, owner: `network ${networks[0]}`, networks }
    : { lane: LANES.account, owner: `account ${account}`, networks };
}

function refusal(reason: 'client' | 'busy'): PoolRefusal {
  return new PoolRefusal(reason, reason === 'client' ? RETRY_CLIENT_SECONDS : RETRY_BUSY_SECONDS);
}
