/** Where a job belongs in the queue. */
export interface QueueKey {
  /** Jobs of a lower lane start first, and the last lane gives way when the queue is full. */
  lane: number;
  /** Whose job it is: an account, or for anonymous clients their narrowest network. */
  owner: string;
  /** The networks it came from, narrowest first. */
  networks: readonly string[];
}

/** How many jobs may wait. */
export interface QueueLimits {
  perOwner: number;
  /** For the narrowest network; each wider one may have twice as many. */
  perNetwork: number;
  total: number;
}

interface Branch<Job> {
  size: number;
  children: Map<string, Branch<Job>>;
  /** Of one owner; only at the end of a path. */
  jobs: Job[];
}

interface Owner<Job> {
  waiting: number;
  newest: Job;
}

/**
 * Round robin over networks, the networks within each, and the owners behind them, so that a heavy client delays only
 * itself. When the queue is full, the longest part of it gives way.
 */
export class FairQueue<Job extends QueueKey> {
  readonly #limits: QueueLimits;
  /** Next in turn first. */
  readonly #lanes = new Map<number, Branch<Job>>();
  readonly #owners = new Map<string, Owner<Job>>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return [...this.#lanes.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The limit of its own that prevents another job from being added; null when there is none. */
  reachedLimit({ owner, networks }: QueueKey): 'owner' | 'network' | null {
    if ((this.#owners.get(owner)?.waiting ?? 0) >= this.#limits.perOwner) return 'owner';
    const isFull = networks.some(
      (_, level) => this.#waitingFrom(networks.slice(level)) >= this.#limits.perNetwork * 2 ** level,
    );
    return isFull ? 'network' : null;
  }

  /** Adds a job. Returns the one that had to give way because the queue was full, which may be the same. */
  add(job: Job): Job | undefined {
    let branch = this.#laneOf(job);
    branch.size += 1;
    for (const name of pathOf(job)) {
      const child = branch.children.get(name) ?? newBranch<Job>();
      branch.children.set(name, child);
      child.size += 1;
      branch = child;
    }
    branch.jobs.push(job);
    this.#owners.set(job.owner, {
      waiting: (this.#owners.get(job.owner)?.waiting ?? 0) + 1,
      newest: job,
    });
    if (this.size <= this.#limits.total) return undefined;
    const last = this.#newestOfLongest();
    if (last) this.remove(last);
    return last;
  }

  /** Removes and returns the next job that may start. */
  take(mayStart: (job: Job) => boolean): Job | undefined {
    for (const lane of [...this.#lanes.keys()].sort((a, b) => a - b)) {
      const job = takeFrom(this.#lanes.get(lane) ?? newBranch<Job>(), mayStart);
      if (job) {
        this.#forget(job);
        return job;
      }
    }
    return undefined;
  }

  /** How many owners have a job that may start. */
  countOwners(mayStart: (job: Job) => boolean): number {
    return [...this.#owners.values()].filter(({ newest }) => mayStart(newest)).length;
  }

  /** False if the job is no longer waiting. */
  remove(job: Job): boolean {
    const branches = [this.#laneOf(job)];
    for (const name of pathOf(job)) {
      const child = branches.at(-1)?.children.get(name);
      if (!child) return false;
      branches.push(child);
    }
    const jobs = branches.at(-1)?.jobs ?? [];
    const at = jobs.indexOf(job);
    if (at < 0) return false;
    jobs.splice(at, 1);
    for (const [level, name] of pathOf(job).entries()) {
      const child = branches[level + 1];
      if (child?.size === 1) branches[level]?.children.delete(name);
    }
    for (const branch of branches) branch.size -= 1;
    this.#forget(job);
    return true;
  }

  #laneOf({ lane }: Job): Branch<Job> {
    const branch = this.#lanes.get(lane) ?? newBranch<Job>();
    this.#lanes.set(lane, branch);
    return branch;
  }

  /** Jobs of all lanes from the first of these networks. */
  #waitingFrom(networks: readonly string[]): number {
    const path = [...networks].reverse();
    return [...this.#lanes.values()].reduce((sum, lane) => {
      const branch = path.reduce<Branch<Job> | undefined>((at, name) => at?.children.get(name), lane);
      return sum + (branch?.size ?? 0);
    }, 0);
  }

  #newestOfLongest(): Job | undefined {
    const last = Math.max(...[...this.#lanes].filter(([, { size }]) => size > 0).map(([lane]) => lane));
    let branch = this.#lanes.get(last);
    while (branch && branch.children.size > 0) {
      // Among equals the last in turn gives way.
      branch = [...branch.children.values()].reduce((most, one) => (one.size >= most.size ? one : most));
    }
    return branch?.jobs.at(-1);
  }

  #forget({ owner }: Job): void {
    const known = this.#owners.get(owner);
    if (!known) return;
    known.waiting -= 1;
    if (known.waiting === 0) this.#owners.delete(owner);
  }
}

function newBranch<Job>(): Branch<Job> {
  return { size: 0, children: new Map(), jobs: [] };
}

/** Names of the branches below a lane, the widest network first. */
function pathOf({ networks, owner }: QueueKey): string[] {
  return [...[...networks].reverse(), `owner ${owner}`];
}

function takeFrom<Job>(branch: Branch<Job>, mayStart: (job: Job) => boolean): Job | undefined {
  const [first] = branch.jobs;
  if (first !== undefined) {
    if (!mayStart(first)) return undefined;
    branch.jobs.shift();
    branch.size -= 1;
    return first;
  }
  for (const [name, child] of branch.children) {
    const job = takeFrom(child, mayStart);
    if (job === undefined) continue;
    branch.size -= 1;
    branch.children.delete(name);
    if (child.size > 0) branch.children.set(name, child);
    return job;
  }
  return undefined;
}
