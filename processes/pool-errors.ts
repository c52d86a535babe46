/** The queue is full: with the client's own tasks (`client`), or with everybody's (`busy`). */
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
 * The worker process exceeded a limit of time or memory, or crashed. `timeout` when it was not done in time although it
 * had used less processor time than it may: the machine is busy with other things.
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

/** The task threw something else than what callers of its pool tell apart. */
export class TaskFailed extends Error {}
