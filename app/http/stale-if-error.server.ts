import { log } from './log.server';
import type { RequestContext } from './scope.server';

const FIVE_MINUTES_MS = 5 * 60_000;

/**
 * Caches what `load` reads from the host for five minutes, and for longer while reading fails. Throws if
 * nothing is cached yet.
 */
export function staleIfError<T>(
  load: (requestContext: RequestContext) => Promise<T>,
): (requestContext: RequestContext) => Promise<T> {
  let cached: { answer: T; until: number } | undefined;
  return async (requestContext) => {
    if (cached && Date.now() < cached.until) return cached.answer;
    try {
      const answer = await load(requestContext);
      cached = { answer, until: Date.now() + FIVE_MINUTES_MS };
      return answer;
    } catch (thrown) {
      // A redirect is meant for this visitor only.
      if (!cached || thrown instanceof Response) throw thrown;
      log.warn(
        { err: thrown instanceof Error ? thrown : undefined },
        'reading from the host failed; the cached answer is used',
      );
      return cached.answer;
    }
  };
}
