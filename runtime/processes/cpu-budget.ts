import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '#contract/time';

/** Enough for anyone; what is forgotten first was used least recently. */
const NETWORKS = 10_000;

/**
 * Processor time that networks have used lately. What a network has used is forgotten at the rate of its budget: `ms` a
 * minute for the narrowest network of a client, and twice as much for each wider one.
 */
export class CpuBudget {
  readonly #used = new LRUCache<string, { ms: number; at: number }>({ max: NETWORKS });
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** `networks` are those of one client, narrowest first; `now` is a time in milliseconds. */
  charge(networks: readonly string[], ms: number, now: number): void {
    for (const [level, network] of networks.entries())
      this.#used.set(network, { ms: this.#usedBy(network, level, now) + ms, at: now });
  }

  /** Whether one of the networks has used more than its budget. */
  isExceeded(networks: readonly string[], now: number): boolean {
    return networks.some((network, level) => this.#usedBy(network, level, now) > this.#budgetOf(level));
  }

  #budgetOf(level: number): number {
    return this.#ms * 2 ** level;
  }

  #usedBy(network: string, level: number, now: number): number {
    const used = this.#used.get(network);
    if (!used) return 0;
    return Math.max(0, used.ms - ((now - used.at) / MINUTE_MS) * this.#budgetOf(level));
  }
}
