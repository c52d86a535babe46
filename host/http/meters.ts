import { Counter, Histogram } from 'prom-client';
import {
  createMetricsRegistry,
  LATENCY_BUCKETS,
  LatencyCounts,
  type MetricsRegistry,
} from '#runtime/metrics';

const SOURCES = ['scan', 'click'] as const;
const OUTCOMES = ['served', 'private', 'unknown', 'deleted', 'blocked', 'paused', 'ended', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface Meters {
  registry: MetricsRegistry;
  /** Visits by source and outcome; plain numbers, because redirects are counted here and must be fast. */
  visits: Record<(typeof SOURCES)[number], Record<Outcome, number>>;
  /** Their durations: of redirects to a target, and of pages and everything else. */
  visitLatency: Record<'redirect' | 'page', LatencyCounts>;
  /** Counts an API call; `call` is its name in the contract, or `none`. */
  countCall(call: string, status: number, ms: number): void;
  /** Counts a rate-limited call. */
  countRateLimited(call: string): void;
  /** Counts the outcome of a charge. */
  countCharge(outcome: 'succeeded' | 'failed' | 'pending'): void;
}

/** Metrics that this process collects as it works; `host/metrics.ts` adds those that are read at each scrape. */
export function createMeters(): Meters {
  const registry = createMetricsRegistry();
  const registers = [registry];
  const visits = Object.fromEntries(
    SOURCES.map((source) => [source, Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Meters['visits'];
  const visitLatency = { redirect: new LatencyCounts(), page: new LatencyCounts() };

  new Counter({
    name: 'quadrille_visits_total',
    help: 'Requests for codes by source and outcome, each counted once; failed ones do not count as visits',
    labelNames: ['source', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const source of SOURCES)
        for (const outcome of OUTCOMES) this.inc({ source, outcome }, visits[source][outcome]);
    },
  });
  addLatencies(registry, visitLatency);
  const calls = new Counter({
    name: 'quadrille_api_requests_total',
    help: 'API calls answered, by name in the contract and status class',
    labelNames: ['call', 'status'],
    registers,
  });
  const callLatency = new Histogram({
    name: 'quadrille_api_request_duration_seconds',
    help: 'Time until the response to an API call, by name in the contract',
    labelNames: ['call'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const rateLimited = new Counter({
    name: 'quadrille_rate_limited_total',
    help: 'API calls refused by a rate limit, by name in the contract',
    labelNames: ['call'],
    registers,
  });
  const charges = new Counter({
    name: 'quadrille_charges_total',
    help: 'Charges by the outcome that the payment provider reported',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['succeeded', 'failed', 'pending']) charges.inc({ outcome }, 0);

  return {
    registry,
    visits,
    visitLatency,
    countCall(call, status, ms) {
      calls.inc({ call, status: `${Math.floor(status / 100)}xx` });
      callLatency.observe({ call }, ms / 1000);
    },
    countRateLimited: (call) => rateLimited.inc({ call }),
    countCharge: (outcome) => charges.inc({ outcome }),
  };
}

function addLatencies(registry: MetricsRegistry, latencies: Meters['visitLatency']): void {
  const name = 'quadrille_visit_duration_seconds';
  const described = {
    name,
    help: 'Time until the response to a visit, including its counting; kind is redirect, or page for everything else',
    type: 'histogram',
    aggregator: 'sum',
  };
  const values = () => Object.entries(latencies).flatMap(([kind, counts]) => counts.values(name, { kind }));
  const metric = { ...described, get: async () => ({ ...described, values: values() }) };
  // The interface that a registry needs of a metric; its types only accept the classes of the package.
  registry.registerMetric(metric as unknown as Histogram);
}
