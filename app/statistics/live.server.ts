import { setMaxListeners } from 'node:events';
import { streamStatistics } from '#contract/statistics';
import { streamHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { isSignedIn, type Scope } from '~/http/scope.server';

declare global {
  var liveStop: AbortSignal | undefined;
}

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Compression would delay events, and so would a proxy that buffers the response.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  // A stopping server waits for keep-alive connections.
  Connection: 'close',
};
const RETRY_MS = 30_000;

/**
 * Forwards the host's events about the figures of the signed-in account, or of the code in the query.
 * Responds 204 without a session or subscription, after which a browser does not reconnect (WHATWG HTML,
 * server-sent events).
 */
export async function streamUpdates(scope: Scope): Promise<Response> {
  // A data request gets its response when the loader finishes, which this one never does.
  const isEndless = scope.request.method === 'GET' && !scope.isDataRequest;
  if (!isSignedIn(scope) || !isEndless) return new Response(null, { status: 204 });
  const code = scope.url.searchParams.get('code') ?? undefined;
  try {
    const updates = await streamHost(scope, streamStatistics, { query: { code } }, stopSignal());
    return new Response(updates.body, { headers: HEADERS });
  } catch (thrown) {
    const isFinal = thrown instanceof Response || (thrown instanceof HostError && thrown.status !== 429);
    if (isFinal) return new Response(null, { status: 204 });
    // A browser gives up after an error, but reconnects when a response ends.
    return new Response(`retry: ${RETRY_MS}\n\n`, { headers: HEADERS });
  }
}

/** Streams never end by themselves, and the server only stops once all responses have ended. */
function stopSignal(): AbortSignal {
  if (globalThis.liveStop) return globalThis.liveStop;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  globalThis.liveStop = stop.signal;
  return stop.signal;
}
