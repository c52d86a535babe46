import { log } from './log.server';
import type { Scope } from './scope.server';

const FIVE_MINUTES_MS = 5 * 60_000;

/**
 * Caches what `load` reads from the host for five minutes, and for longer while reading fails. Throws if
 * nothing is cached yet.
 */
export function staleIfError<T, S extends Scope = Scope>(
  load: (scope: S) => Promise<T>,
): (scope: S) => Promise<T> {
  let cached: { value: T; until: number } | undefined;
  return async (scope) => {
    if (cached && Date.now() < cached.until) return cached.value;
    try {
      const value = await load(scope);
      cached = { value, until: Date.now() + FIVE_MINUTES_MS };
      return value;
    } catch (thrown) {
      // A redirect is meant for this visitor only.
      if (!cached || thrown instanceof Response) throw thrown;
      log.warn(
        { err: thrown instanceof Error ? thrown : undefined },
        'reading from the host failed; the cached value is used',
      );
      return cached.value;
    }
  };
}
