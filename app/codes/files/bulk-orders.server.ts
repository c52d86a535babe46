import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Code } from '#contract/codes';
import { renewDeadline } from '~/codes/list/selection.server';
import type { FileOrder } from '~/codes/pictures/code-files.server';
import { isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import type { FileChoice } from './choice.server';
import { fileOrder, logoOf } from './downloads.server';

const RETRY_MS = [250, 1_000, 3_000];
const LONGEST_RETRY_MS = 10_000;

/**
 * Like `fileOrder`, for many files: a logo is requested once for all codes that have it, and again while the host does
 * not respond or refuses too many requests. `keptLogos` is the number of logos kept in memory.
 */
export function bulkOrders(
  scope: UserScope,
  keptLogos: number,
): (code: Code, choice: FileChoice) => Promise<FileOrder> {
  const logos = new LRUCache<string, Promise<Buffer | null>>({ max: keptLogos });
  // Without a response to all retries for one logo, the next ones are not retried.
  let isUnanswered = false;
  const requestLogo = async (code: Code) => {
    for (const wait of isUnanswered ? [] : RETRY_MS) {
      try {
        return await requestOnce(code);
      } catch (thrown) {
        if (!mayAnswerLater(thrown)) throw thrown;
        await delay(retryMs(thrown, wait), undefined, { signal: scope.signal });
      }
    }
    return requestOnce(code).catch((thrown: unknown) => {
      isUnanswered ||= mayAnswerLater(thrown);
      throw thrown;
    });
  };
  const requestOnce = async (code: Code) => {
    renewDeadline(scope);
    const logo = await logoOf(scope, code);
    isUnanswered = false;
    return logo;
  };
  const sharedLogo = (code: Code): Promise<Buffer | null> => {
    if (!code.logo) return Promise.resolve(null);
    const key = keyOf(code);
    const known = logos.get(key);
    if (known) return known;
    const logo = requestLogo(code);
    logos.set(key, logo);
    logo.catch(() => logos.delete(key));
    return logo;
  };
  return (code, choice) => fileOrder(scope, code, choice, sharedLogo(code));
}

function keyOf({ id, logo }: Code): string {
  return logo?.kind === 'preset' ? logo.name : (logo?.id ?? id);
}

function mayAnswerLater(thrown: unknown): boolean {
  return isUnavailable(thrown) || (thrown instanceof HostError && thrown.status === 429);
}

function retryMs(thrown: unknown, usual: number): number {
  const seconds = thrown instanceof HostError ? thrown.retryAfterSeconds : undefined;
  return Math.min(LONGEST_RETRY_MS, Math.max(usual, (seconds ?? 0) * 1_000));
}
