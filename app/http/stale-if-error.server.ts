import { log } from './log.server';
import type { RequestContext } from './scope.server';

const FIVE_MINUTES_MS = 5 * 60_000;

/**
 * Keeps an answer of the host for five minutes, and for longer while the host gives no new one. Without any answer
 * the failure is the caller's.
 */
export function staleIfError<T>(
  ask: (requestContext: RequestContext) => Promise<T>,
): (requestContext: RequestContext) => Promise<T> {
  let cached: { answer: T; until: number } | undefined;
  return async (requestContext) => {
    if (cached && Date.now() < cached.until) return cached.answer;
    try {
      const answer = await ask(requestContext);
      cached = { answer, until: Date.now() + FIVE_MINUTES_MS };
      return answer;
    } catch (thrown) {
      // A redirect is meant for this visitor.
      if (!cached || thrown instanceof Response) throw thrown;
      log.warn(
        { err: thrown instanceof Error ? thrown : undefined },
        'the host gave no new answer; the last one is used',
      );
      return cached.answer;
    }
  };
}
