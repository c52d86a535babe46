import { Counter, Histogram } from 'prom-client';
import {
  createMetricsRegistry,
  LATENCY_BUCKETS,
  type MetricsRegistry,
  mayReadMetrics,
  respondWithMetrics,
} from '#runtime/metrics';
import { env } from './env.server';

declare global {
  var websiteMeters: Meters | undefined;
}

interface Meters {
  registry: MetricsRegistry;
  requests: Counter<'kind' | 'status'>;
  duration: Histogram<'kind'>;
}

function createMeters(): Meters {
  const registry = createMetricsRegistry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'quadrille_web_requests_total',
      help: 'Requests answered by the website, by kind and status class',
      labelNames: ['kind', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'quadrille_web_request_duration_seconds',
      help: 'Time until the end of a response of the website, by kind',
      labelNames: ['kind'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
  };
}

// The development server reloads this module; metrics can be registered only once.
globalThis.websiteMeters ??= createMeters();
const meters = globalThis.websiteMeters;

export const metricsRegistry = meters.registry;

type Kind =
  | 'code'
  | 'form'
  | 'public_page'
  | 'account_page'
  | 'data'
  | 'download'
  | 'stream'
  | 'file'
  | 'own';

const KINDS: [pattern: RegExp, kind: Kind][] = [
  [/^\/(?:livez|readyz|healthz|metrics)$/, 'own'],
  [/^\/[rleb]\//i, 'code'],
  [/\.data$/, 'data'],
  [/\/stream$/, 'stream'],
  [/^\/user\/.*(?:\/download|\/export|\.csv|\/invoices\/[^/]+)$/, 'download'],
  [/\.\w{1,12}$/, 'file'],
  [/^\/user(?:\/|$)/, 'account_page'],
];

/** The kind of a request, as a metrics label: a handful of values, however many pages and codes there are. */
export function kindOf(method: string | undefined, path: string): Kind {
  const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? 'public_page';
  const isPage = kind === 'public_page' || kind === 'account_page' || kind === 'data';
  return isPage && method === 'POST' ? 'form' : kind;
}

export function countRequest(kind: Kind, status: number, ms: number): void {
  meters.requests.inc({ kind, status: `${Math.floor(status / 100)}xx` });
  // A stream lasts for as long as someone watches.
  if (kind !== 'stream') meters.duration.observe({ kind }, ms / 1000);
}

/** All metrics, for callers on this machine or with the token; 404 for everyone else. */
export async function readMetrics({ headers }: Request): Promise<Response> {
  const peer = headers.get('x-socket-address') ?? '';
  if (mayReadMetrics(peer, (name) => headers.get(name), env.METRICS_TOKEN))
    return respondWithMetrics(metricsRegistry);
  return new Response(null, { status: 404, headers: { 'Cache-Control': 'no-store' } });
}
