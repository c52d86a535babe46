/** Too much is waiting already. `client` when it is the client's own, `busy` when it is everybody's. */
export class PoolRefusal extends Error {
  override name = 'PoolRefusal';
  readonly reason: 'client' | 'busy';
  readonly retryAfterSeconds: number;

  constructor(reason: 'client' | 'busy', retryAfterSeconds: number) {
    super(reason === 'client' ? 'this client asks for too much at once' : 'too many are waiting');
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The process was killed at its work: for the time or the memory that it took, or it broke down. */
export class TaskKilled extends Error {
  override name = 'TaskKilled';
  readonly reason: 'time' | 'memory';

  constructor(reason: 'time' | 'memory', complaint: string) {
    super(`a task was given up: too much ${reason}`, complaint ? { cause: complaint } : {});
    this.reason = reason;
  }
}
