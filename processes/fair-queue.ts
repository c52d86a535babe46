/** Whose job it is: an account, or for anonymous clients their IP address, and the IP address it came from. */
export interface QueueKey {
  owner: string;
  clientIp: string;
}

/** How many jobs may wait. */
export interface QueueLimits {
  perOwner: number;
  perClientIp: number;
  total: number;
}

type ReachedLimit = 'owner' | 'clientIp' | 'total';

/** Round robin over IP addresses, and over the owners behind each, so that a heavy client delays only itself. */
export class FairQueue<Job extends QueueKey> {
  size = 0;
  readonly #limits: QueueLimits;
  /** Next in turn first. */
  readonly #clientIps = new Map<string, Map<string, Job[]>>();
  readonly #owners = new Map<string, number>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** The limit that prevents another job from being added; null when there is room. */
  reachedLimit({ owner, clientIp }: QueueKey): ReachedLimit | null {
    if ((this.#owners.get(owner) ?? 0) >= this.#limits.perOwner) return 'owner';
    const waiting = [...(this.#clientIps.get(clientIp)?.values() ?? [])];
    if (waiting.reduce((sum, jobs) => sum + jobs.length, 0) >= this.#limits.perClientIp) return 'clientIp';
    return this.size >= this.#limits.total ? 'total' : null;
  }

  add(job: Job): void {
    const owners = this.#clientIps.get(job.clientIp) ?? new Map<string, Job[]>();
    this.#clientIps.set(job.clientIp, owners);
    owners.set(job.owner, [...(owners.get(job.owner) ?? []), job]);
    this.#count(job, 1);
  }

  /** Removes and returns the next job whose owner passes `mayStart`. */
  take(mayStart: (owner: string) => boolean): Job | undefined {
    for (const [clientIp, owners] of this.#clientIps) {
      for (const [owner, [job, ...others]] of owners) {
        if (!job || !mayStart(owner)) continue;
        owners.delete(owner);
        if (others.length > 0) owners.set(owner, others);
        this.#clientIps.delete(clientIp);
        if (owners.size > 0) this.#clientIps.set(clientIp, owners);
        this.#count(job, -1);
        return job;
      }
    }
    return undefined;
  }

  /** How many owners `take` would find a job for. */
  countOwners(mayStart: (owner: string) => boolean): number {
    return [...this.#owners.keys()].filter(mayStart).length;
  }

  /** False if the job is no longer waiting. */
  remove(job: Job): boolean {
    const owners = this.#clientIps.get(job.clientIp);
    const jobs = owners?.get(job.owner);
    if (!owners || !jobs?.includes(job)) return false;
    if (jobs.length > 1) {
      const left = jobs.filter((one) => one !== job);
      owners.set(job.owner, left);
    } else {
      owners.delete(job.owner);
      if (owners.size === 0) this.#clientIps.delete(job.clientIp);
    }
    this.#count(job, -1);
    return true;
  }

  #count({ owner }: Job, change: 1 | -1): void {
    this.size += change;
    const waiting = (this.#owners.get(owner) ?? 0) + change;
    if (waiting > 0) this.#owners.set(owner, waiting);
    else this.#owners.delete(owner);
  }
}
