/** Who waits: an address, and who of those behind it: an account, or the address again for everybody without one. */
export interface Place {
  owner: string;
  address: string;
}

/** How many may wait. */
export interface QueueLimits {
  perOwner: number;
  perAddress: number;
  total: number;
}

export type Fullness = 'owner' | 'address' | 'total';

/** Serves addresses in turn, and in turn the owners of each: whoever asks for much waits behind himself alone. */
export class FairQueue<Job extends Place> {
  size = 0;
  readonly #limits: QueueLimits;
  /** In the order of their turns. */
  readonly #addresses = new Map<string, Map<string, Job[]>>();
  readonly #owners = new Map<string, number>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Which limit keeps one more from waiting; null for none. */
  fullness({ owner, address }: Place): Fullness | null {
    if ((this.#owners.get(owner) ?? 0) >= this.#limits.perOwner) return 'owner';
    const behind = [...(this.#addresses.get(address)?.values() ?? [])];
    if (behind.reduce((sum, jobs) => sum + jobs.length, 0) >= this.#limits.perAddress) return 'address';
    return this.size >= this.#limits.total ? 'total' : null;
  }

  add(job: Job): void {
    const owners = this.#addresses.get(job.address) ?? new Map<string, Job[]>();
    this.#addresses.set(job.address, owners);
    owners.set(job.owner, [...(owners.get(job.owner) ?? []), job]);
    this.#count(job, 1);
  }

  /** The next job of an owner for whom `mayStart` holds; undefined when there is none. */
  take(mayStart: (owner: string) => boolean): Job | undefined {
    for (const [address, owners] of this.#addresses) {
      for (const [owner, [job, ...others]] of owners) {
        if (!job || !mayStart(owner)) continue;
        owners.delete(owner);
        if (others.length > 0) owners.set(owner, others);
        this.#addresses.delete(address);
        if (owners.size > 0) this.#addresses.set(address, owners);
        this.#count(job, -1);
        return job;
      }
    }
    return undefined;
  }

  /** Owners for whom `take` would find a job. */
  countOwners(mayStart: (owner: string) => boolean): number {
    return [...this.#owners.keys()].filter(mayStart).length;
  }

  /** False when the job does not wait any more. */
  remove(job: Job): boolean {
    const owners = this.#addresses.get(job.address);
    const jobs = owners?.get(job.owner);
    if (!owners || !jobs?.includes(job)) return false;
    if (jobs.length > 1) {
      const left = jobs.filter((one) => one !== job);
      owners.set(job.owner, left);
    } else {
      owners.delete(job.owner);
      if (owners.size === 0) this.#addresses.delete(job.address);
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
