import { FairQueue, type Place, type QueueLimits } from './fair-queue';
import { PoolRefusal, TaskKilled } from './pool-errors';
import type { TaskReply, TaskTable } from './serve-tasks';
import { type Program, startWorkerProcess, type WorkerProcess } from './worker-process';

export interface PoolSettings extends Program {
  /** How many work at once. */
  processes: number;
  queue: QueueLimits;
  /** How long a task may wait for its turn. */
  waitMs: number;
  /** How long an idle process is kept; for good when absent. */
  idleMs?: number;
  /** A process that holds more than this after its work is replaced. */
  retireBytes: number;
  /** Errors that tasks throw, so that they arrive as what they were. */
  errors?: (new (
    message: string,
  ) => Error)[];
}

export interface TaskOptions {
  client: Client;
  /** Processor time that the task may use, and how long it may take on a machine that is busy with other things. */
  cpuMs: number;
  withinMs: number;
  /** Takes the task out of the queue, such as when its client has left; one that has begun is finished. */
  signal?: AbortSignal | undefined;
}

/** Whose task it is, for the queue: an account where one is signed in, and the address. */
export interface Client {
  account?: string | undefined;
  address: string;
}

export interface ProcessPool<Tasks extends TaskTable> {
  /**
   * Does a task in another process. Rejects with `PoolRefusal`, `TaskKilled`, the signal's reason, or what the task
   * threw.
   */
  run<Name extends keyof Tasks & string>(
    task: Name,
    input: Parameters<Tasks[Name]>[0],
    options: TaskOptions,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  /** Whether tasks of others than these wait for their turn. */
  othersWait(clients: Client[]): boolean;
  /** How much there is to do at the moment, and what was not done since the start. */
  load(): PoolLoad;
  /** Starts all processes, so that nobody has to wait for it. */
  warm(): void;
  close(): void;
}

export interface PoolLoad {
  /** Processes at work, of those there may be. */
  busy: number;
  processes: number;
  /** Tasks that wait for their turn. */
  waiting: number;
  /** Tasks that were not taken, or that waited for too long. */
  refused: number;
  /** Tasks that took too much time or memory. */
  killed: number;
}

interface Job extends Place {
  task: string;
  input: unknown;
  cpuMs: number;
  withinMs: number;
  /** Leaves the queue behind. */
  begin(): void;
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

/**
 * A few processes for work that takes long, takes much memory or may never end, such as drawing what strangers send:
 * native code and threads inside this process could be neither limited nor stopped. Work waits in a fair queue, and of
 * each owner one task is done at a time, so that nobody's keeps all processes busy.
 */
export function createProcessPool<Tasks extends TaskTable>(settings: PoolSettings): ProcessPool<Tasks> {
  const queue = new FairQueue<Job>(settings.queue);
  const slots = new Set<Slot>();
  const working = new Set<string>();
  const mayStart = (owner: string) => !working.has(owner);
  const errors = new Map((settings.errors ?? []).map((Class) => [new Class('').name, Class]));
  let isWarm = false;
  let refused = 0;
  let killed = 0;

  function run(
    task: string,
    input: unknown,
    { client, cpuMs, withinMs, signal }: TaskOptions,
  ): Promise<unknown> {
    const place = placeOf(client);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const fullness = queue.fullness(place);
      if (fullness) {
        refused += 1;
        throw refusal(fullness === 'total' ? 'busy' : 'client');
      }
      const leave = (error: unknown) => {
        if (!queue.remove(job)) return;
        job.begin();
        reject(error);
      };
      const onAbort = () => leave(signal?.reason);
      const timer = setTimeout(() => {
        refused += 1;
        leave(refusal('busy'));
      }, settings.waitMs);
      const job: Job = {
        ...{ ...place, task, input, cpuMs, withinMs, resolve, reject },
        begin: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.add(job);
      dispatch();
    });
  }

  function dispatch(): void {
    for (const slot of slots) {
      const job = slot.state === 'idle' && queue.take(mayStart);
      if (job) work(slot, job);
    }
    const starting = [...slots].filter(({ state }) => state === 'starting').length;
    const missing = Math.min(queue.countOwners(mayStart) - starting, settings.processes - slots.size);
    for (let n = 0; n < missing; n += 1) startSlot();
  }

  function startSlot(): void {
    const slot: Slot = { worker: startWorkerProcess(settings), state: 'starting' };
    slots.add(slot);
    slot.worker.onExit(() => {
      clearTimeout(slot.idleTimer);
      const wasUp = slots.delete(slot) && slot.state !== 'starting';
      if (wasUp && isWarm) warm();
      if (wasUp) dispatch();
    });
    slot.worker.ready.then(
      () => rest(slot),
      (error: unknown) => {
        slots.delete(slot);
        // Another try would end in the same way; the next task makes one.
        if (slots.size === 0) rejectAll(error);
      },
    );
  }

  function rejectAll(error: unknown): void {
    for (let job = queue.take(() => true); job; job = queue.take(() => true)) {
      job.begin();
      job.reject(error);
    }
  }

  function rest(slot: Slot): void {
    slot.state = 'idle';
    if (settings.idleMs !== undefined) {
      slot.idleTimer = setTimeout(() => retire(slot), settings.idleMs);
      slot.idleTimer.unref();
    }
    dispatch();
  }

  async function work(slot: Slot, job: Job): Promise<void> {
    clearTimeout(slot.idleTimer);
    slot.state = 'busy';
    working.add(job.owner);
    job.begin();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      slot.worker.kill();
    }, job.withinMs);
    const { task, input, cpuMs } = job;
    const reply = await slot.worker.ask({ task, input, cpuMs });
    clearTimeout(timer);
    working.delete(job.owner);
    if (!reply) {
      const reason = isLate || slot.worker.isOutOfTime() ? 'time' : 'memory';
      killed += 1;
      retire(slot);
      job.reject(new TaskKilled(reason, slot.worker.complaint()));
      return;
    }
    if ('error' in reply) job.reject(errorOf(reply.error));
    else job.resolve(reply.result);
    if (reply.memoryBytes > settings.retireBytes) retire(slot);
    else rest(slot);
  }

  /** Ends a process; its place is free at once. */
  function retire(slot: Slot): void {
    clearTimeout(slot.idleTimer);
    slots.delete(slot);
    slot.worker.kill();
    if (isWarm) warm();
    dispatch();
  }

  function errorOf({ name, message, stack }: Extract<TaskReply, { error: unknown }>['error']): Error {
    const Class = errors.get(name) ?? Error;
    return Object.assign(new Class(message), { name, stack });
  }

  function warm(): void {
    isWarm = true;
    while (slots.size < settings.processes) startSlot();
  }

  return {
    run: run as ProcessPool<Tasks>['run'],
    othersWait(clients) {
      const own = new Set(clients.map((client) => placeOf(client).owner));
      return queue.countOwners((owner) => !own.has(owner)) > 0;
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

function placeOf({ account, address }: Client): Place {
  return { address, owner: account === undefined ? `address ${address}` : `account ${account}` };
}

function refusal(reason: 'client' | 'busy'): PoolRefusal {
  return new PoolRefusal(reason, reason === 'client' ? RETRY_CLIENT_SECONDS : RETRY_BUSY_SECONDS);
}
