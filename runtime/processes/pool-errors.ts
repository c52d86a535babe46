/** The queue is full: with the client's own tasks (`client`), or with everyone's (`busy`). */
export class PoolRefusal extends Error {
  override name = 'PoolRefusal';
  readonly reason: 'client' | 'busy';
  readonly retryAfterSeconds: number;

  constructor(reason: 'client' | 'busy', retryAfterSeconds: number) {
    super(reason === 'client' ? 'this client has too many tasks waiting' : 'too many tasks are waiting');
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The worker process exceeded a limit of time or memory, or crashed. `timeout` means that it did not finish
 * in time although it used less processor time than allowed: the machine is busy with other things.
 */
export class TaskKilled extends Error {
  override name = 'TaskKilled';
  readonly reason: 'time' | 'memory' | 'timeout';

  constructor(reason: TaskKilled['reason'], stderr: string) {
    super(
      `task killed: ${reason === 'timeout' ? reason : `too much ${reason}`}`,
      stderr ? { cause: stderr } : {},
    );
    this.reason = reason;
  }
}

/** The task threw an error whose class is not among the pool's `errors`. */
export class TaskFailed extends Error {}
