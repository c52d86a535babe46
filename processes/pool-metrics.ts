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
    help: 'Processes that draw: those at work, and how many there may be',
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
    help: 'Drawings that wait for their turn',
    registers,
    collect() {
      this.set(load().waiting);
    },
  });
  new Counter({
    name: `${prefix}_refused_total`,
    help: 'Drawings that were not made: too many waited, or they took too much time or memory',
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
