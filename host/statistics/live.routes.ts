import { streamStatistics } from '#contract/live';
import type { Authenticate } from '#host/http/caller';
import { bearerOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import type { LiveFigures } from './live';
import { findSelectedCode } from './ranked-codes.store';

// A stopping host would wait for kept-alive connections.
const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', Connection: 'close' };

export function mountLive(
  { mount }: Router,
  { db }: Pick<Deps, 'db'>,
  live: LiveFigures,
  authenticate: Authenticate,
): void {
  mount(streamStatistics, async ({ caller, query, context, log }) => {
    const { accountId } = caller;
    const codeId = query.code ?? null;
    if (codeId !== null && !(await findSelectedCode(db.orm, accountId, codeId)))
      throw new ApiError('not_found');
    // Hono routes HEAD here too, and drops the body.
    if (context.req.method === 'HEAD') return new Response(null, { headers: HEADERS });
    const token = bearerOf(context);

    async function isAllowed(): Promise<boolean> {
      try {
        return (await authenticate(token)).running;
      } catch (thrown) {
        if (thrown instanceof ApiError) return false;
        log.warn({ err: thrown }, 'the access of a live stream could not be checked: it stays open');
        return true;
      }
    }

    return new Response(live.open({ accountId, codeId, isAllowed }), { headers: HEADERS });
  });
}
