import type { Deps } from '#host/http/deps';

const WINDOW_MS = 60_000;
const MAX_LINES = 60;

interface RefusedVisit {
  slug: string;
  /** Name of the call in the contract. */
  call: string;
  requestId: string;
  /** Whoever was signed in; null for anybody else. */
  accountId: string | null;
}

export type AuditRefusal = ReturnType<typeof createRefusedVisits>;

/**
 * Logs visits to private codes, and actions on their pages, that were refused (OWASP ASVS 5.0, 16.3.2), without the
 * visitor's IP address, which is stored for no visit. One line per code and minute, and 60 lines a minute at most: anybody
 * can cause thousands of visits a second, and the metrics count them all.
 */
export function createRefusedVisits({ clock, log }: Pick<Deps, 'clock' | 'log'>) {
  const logged = new Set<string>();
  let since = 0;

  return ({ slug, call, requestId, accountId }: RefusedVisit): void => {
    const now = clock.now().getTime();
    if (Math.abs(now - since) >= WINDOW_MS) {
      logged.clear();
      since = now;
    }
    if (logged.size >= MAX_LINES || logged.has(slug)) return;
    logged.add(slug);
    const who = accountId !== null && { account: accountId };
    const refusal = { audit: 'access_refused', reason: 'code_private', call, requestId };
    log.info({ ...refusal, ...who, requested: { code: slug } }, 'audit');
  };
}
