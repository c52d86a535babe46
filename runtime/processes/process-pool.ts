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

export interface ProcessPool<Tasks extends TaskTable> {
  /**
   * Runs a task in a worker process. Rejects with `PoolRefusal`, `TaskKilled`, the signal's reason or the task's error,
   * which is a `TaskFailed` unless its class is among `errors`.
   */
  run<Name extends keyof Tasks & string>(
    task: Name,
    input: Parameters<Tasks[Name]>[0],
    options: TaskOptions,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  /** Whether tasks of clients other than these are waiting. */
  hasOthersWaiting(clients: Client[]): boolean;
  load(): PoolLoad;
  /** Starts all processes ahead of the first task. */
  warm(): void;
  close(): void;
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
export function createProcessPool<Tasks extends TaskTable>(settings: PoolSettings): ProcessPool<Tasks> {
  const queue = new FairQueue<Job>(settings.queue);
  const slots = new Set<Slot>();
  const working = new Set<Job>();
  const budget = new CpuBudget(settings.strangersMsPerMinute ?? STRANGERS_MS_PER_MINUTE);
  const mostStrangers = Math.max(1, settings.processes - 1);
  const mayStart = ({ owner, lane }: Job) => {
    const running = [...working];
    if (running.some((job) => job.owner === owner)) return false;
    return (
      lane === LANES.account || running.filter((job) => job.lane !== LANES.account).length < mostStrangers
    );
  };
  const errors = new Map((settings.errors ?? []).map((Class) => [new Class('').name, Class]));
  let isWarm = false;
  let refused = 0;
  let killed = 0;

  function run(
    task: string,
    input: unknown,
    { client, cpuMs, timeoutMs, signal }: TaskOptions,
  ): Promise<unknown> {
    const key = queueKeyOf(client);
    if (key.lane !== LANES.account && budget.isExceeded(key.networks, performance.now()))
      key.lane = LANES.heavyStranger;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (queue.reachedLimit(key)) {
        refused += 1;
        throw refusal('client');
      }
      const leave = (error: unknown) => {
        if (!queue.remove(job)) return;
        job.stopWaiting();
        reject(error);
      };
      const onAbort = () => leave(signal?.reason);
      const timer = setTimeout(() => {
        refused += 1;
        leave(refusal('busy'));
      }, settings.waitMs);
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
      const last = queue.add(job);
      if (last) {
        refused += 1;
        last.stopWaiting();
        last.reject(refusal('busy'));
      }
      dispatch();
    });
  }

  function dispatch(): void {
    for (const slot of slots) {
      const job = slot.state === 'idle' && queue.take(mayStart);
      if (job) runJob(slot, job);
    }
    const starting = [...slots].filter(({ state }) => state === 'starting').length;
    const missing = Math.min(queue.countOwners(mayStart) - starting, settings.processes - slots.size);
    for (let n = 0; n < missing; n += 1) if (!startSlot()) break;
  }

  /** Returns false if no process could be created; a created one may still fail to start. */
  function startSlot(): boolean {
    let slot: Slot;
    try {
      slot = { worker: startWorkerProcess(settings), state: 'starting' };
    } catch (error) {
      // The machine has no room for another one.
      giveUpWithoutSlots(error);
      return false;
    }
    slots.add(slot);
    slot.worker.onExit(() => {
      clearTimeout(slot.idleTimer);
      const wasUp = slots.delete(slot) && slot.state !== 'starting';
      if (wasUp && isWarm) warm();
      if (wasUp) dispatch();
    });
    slot.worker.ready.then(
      () => markIdle(slot),
      (error: unknown) => {
        slots.delete(slot);
        giveUpWithoutSlots(error);
      },
    );
    return true;
  }

  /** Retrying now would fail the same way; the next task retries. */
  function giveUpWithoutSlots(error: unknown): void {
    if (slots.size > 0) return;
    for (let job = queue.take(() => true); job; job = queue.take(() => true)) {
      job.stopWaiting();
      job.reject(error);
    }
  }

  function markIdle(slot: Slot): void {
    slot.state = 'idle';
    if (settings.idleMs !== undefined) {
      slot.idleTimer = setTimeout(() => retire(slot), settings.idleMs);
      slot.idleTimer.unref();
    }
    dispatch();
  }

  async function runJob(slot: Slot, job: Job): Promise<void> {
    clearTimeout(slot.idleTimer);
    slot.state = 'busy';
    working.add(job);
    job.stopWaiting();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      slot.worker.kill();
    }, job.timeoutMs);
    const { task, input, cpuMs } = job;
    const reply = await slot.worker.ask({ task, input, cpuMs }).catch((error: Error) => error);
    clearTimeout(timer);
    working.delete(job);
    if (reply instanceof Error) {
      job.reject(reply);
      return markIdle(slot);
    }
    if (job.lane !== LANES.account)
      budget.charge(job.networks, reply ? reply.usedCpuMs : cpuMs, performance.now());
    if (!reply) {
      const reason = isTimedOut ? 'timeout' : slot.worker.exceededCpuTime() ? 'time' : 'memory';
      killed += 1;
      retire(slot);
      job.reject(new TaskKilled(reason, slot.worker.stderrTail()));
      return;
    }
    if ('error' in reply) job.reject(errorOf(reply.error));
    else job.resolve(reply.result);
    if (reply.memoryBytes > settings.retireBytes) retire(slot);
    else markIdle(slot);
  }

  /** Kills a process and frees its slot at once. */
  function retire(slot: Slot): void {
    clearTimeout(slot.idleTimer);
    slots.delete(slot);
    slot.worker.kill();
    if (isWarm) warm();
    dispatch();
  }

  function errorOf({ name, message, stack }: Extract<TaskReply, { error: unknown }>['error']): Error {
    const Class = errors.get(name) ?? TaskFailed;
    return Object.assign(new Class(message), { name, stack });
  }

  function warm(): void {
    isWarm = true;
    while (slots.size < settings.processes && startSlot());
  }

  return {
    run: run as ProcessPool<Tasks>['run'],
    hasOthersWaiting(clients) {
      const own = new Set(clients.map((client) => queueKeyOf(client).owner));
      return queue.countOwners(({ owner }) => !own.has(owner)) > 0;
    },
    load: () => ({
      busy: [...slots].filter(({ state }) => state === 'busy').length,
      processes: settings.processes,
      waiting: queue.size,
      refused,
      killed,
    }),
    warm,
    close() {
      isWarm = false;
      for (const slot of [...slots]) {
        slots.delete(slot);
        slot.worker.kill();
      }
    },
  };
}

function queueKeyOf({ account, networks }: Client): QueueKey {
  return account === undefined
    ? { lane: LANES.stranger, owner: `network ${networks[0]}`, networks }
    : { lane: LANES.account, owner: `account ${account}`, networks };
}

function refusal(reason: 'client' | 'busy'): PoolRefusal {
  return new PoolRefusal(reason, reason === 'client' ? RETRY_CLIENT_SECONDS : RETRY_BUSY_SECONDS);
}
