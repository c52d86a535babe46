import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';
import type { PoolLoad } from './process-pool';

/** Registers gauges and counters of a pool's load, with names that start with `prefix`. */
export function addPoolMetrics(
  registry: Registry<OpenMetricsContentType>,
  prefix: string,
  load: () => PoolLoad,
): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}_processes`,
    help: 'Worker processes: busy, and allowed at most',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy, processes } = load();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'allowed' }, processes);
    },
  });
  new Gauge({
    name: `${prefix}_waiting`,
    help: 'Tasks waiting for a process',
    registers,
    collect() {
      this.set(load().waiting);
    },
  });
  new Counter({
    name: `${prefix}_refused_total`,
    help: 'Tasks refused because the queue was full or the wait too long, or killed at a limit of time or memory',
    labelNames: ['reason'],
    registers,
    collect() {
      const { refused, killed } = load();
      this.reset();
      this.inc({ reason: 'queue' }, refused);
      this.inc({ reason: 'limit' }, killed);
    },
  });
}
