import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Http2Bindings, HttpBindings, ServerType } from '@hono/node-server';

type Fetch = (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;

const HEALTH = /^\/(?:livez|readyz)(?:\?|$)/;

interface ShutdownTimes {
  /** How long health checks fail before no more connections are accepted. */
  drainMs: number;
  /** How long pending requests may take after that; then their connections are cut. */
  lastResponsesMs: number;
}

/** Wraps `handler`; once closing, health checks fail and every response closes its connection. */
export function createGracefulShutdown(handler: Fetch): {
  fetch: Fetch;
  close(server: ServerType, times: ShutdownTimes): Promise<void>;
} {
  let isClosing = false;
  return {
    fetch(request, env) {
      if (!isClosing) return handler(request, env);
      if ('shouldKeepAlive' in env.outgoing) env.outgoing.shouldKeepAlive = false;
      return HEALTH.test(env.incoming.url ?? '')
        ? new Response(null, { status: 503 })
        : handler(request, env);
    },
    async close(server, { drainMs, lastResponsesMs }) {
      isClosing = true;
      await delay(drainMs);
      const closed = once(server, 'close');
      server.close();
      const forceClose = setTimeout(() => {
        if ('closeAllConnections' in server) server.closeAllConnections();
      }, lastResponsesMs);
      await closed;
      clearTimeout(forceClose);
    },
  };
}
