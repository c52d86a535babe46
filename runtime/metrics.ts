import { collectDefaultMetrics, type Metric, type OpenMetricsContentType, Registry } from 'prom-client';
import { z } from 'zod';
import { CLIENT_IP_HEADER, INTERNAL_KEY_HEADER, OLD_CLIENT_IP_HEADER } from './internal-key';
import { isSameText } from './same-text';

export type MetricsRegistry = Registry<OpenMetricsContentType>;

/** Bearer token that allows reading the metrics from another machine. */
export const MetricsTokenSetting = z
  .string()
  .regex(/^[\w.~+/=-]{16,}$/, 'needs 16 characters or more that are valid in a header')
  .optional();

/** Upper bounds of the latencies that both programs count, in seconds. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const OWN_NAMES = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;
/** Headers of a request that came through a proxy or our gateway. */
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'via',
  CLIENT_IP_HEADER,
  OLD_CLIENT_IP_HEADER,
  INTERNAL_KEY_HEADER,
];

/**
 * Whether the caller may read the metrics: a program on this machine that calls directly and by a name of this machine,
 * or any caller with the token.
 */
export function mayReadMetrics(
  peer: string,
  header: (name: string) => string | null | undefined,
  token: string | undefined,
): boolean {
  const given = /^Bearer (\S+)$/i.exec(header('authorization') ?? '')?.[1];
  if (token !== undefined && given !== undefined && isSameText(given, token)) return true;
  return (
    LOOPBACK.test(peer) &&
    OWN_NAMES.test(header('host') ?? '') &&
    FORWARDING_HEADERS.every((name) => (header(name) ?? null) === null)
  );
}

export function createMetricsRegistry(): MetricsRegistry {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry;
}

/** One registry with the metrics of several. */
export function mergeRegistries(...registries: MetricsRegistry[]): MetricsRegistry {
  const merged = createMetricsRegistry();
  for (const registry of registries) {
    // These are the metric objects themselves, but typed by their fields only.
    for (const metric of registry.getMetricsAsArray()) merged.registerMetric(metric as unknown as Metric);
  }
  return merged;
}

const PROCESS_METRIC = 'process_resident_memory_bytes';

/** All metrics as OpenMetrics, including process metrics from the first call on. */
export async function respondWithMetrics(registry: MetricsRegistry): Promise<Response> {
  if (!registry.getSingleMetric(PROCESS_METRIC)) collectDefaultMetrics({ register: registry });
  return new Response(await registry.metrics(), {
    headers: { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' },
  });
}

/** A histogram kept as plain numbers, for what happens thousands of times a second. */
export class LatencyCounts {
  readonly buckets: number[] = new Array<number>(LATENCY_BUCKETS.length + 1).fill(0);
  seconds = 0;

  count(ms: number): void {
    const seconds = ms / 1000;
    let at = 0;
    while (at < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[at] as number)) at += 1;
    (this.buckets[at] as number) += 1;
    this.seconds += seconds;
  }

  /** As prom-client writes a histogram. */
  values(name: string, labels: Record<string, string>) {
    let total = 0;
    const rows = this.buckets.map((count, at) => {
      total += count;
      const le = LATENCY_BUCKETS[at] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...rows,
      { metricName: `${name}_sum`, labels, value: this.seconds },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}
