import { parseUrl } from '#contract/urls';
import type { Database } from '#host/db/client';
import { withTimeout } from '#host/db/timeout';

/** Cached hosts that no code may link to. */
interface BlockedHosts {
  /** Read again after `invalidate`, and at the latest after 30 seconds. */
  read(): Promise<ReadonlySet<string>>;
  invalidate(): void;
}

const CACHE_MS = 30_000;
const READ_TIMEOUT_MS = 3_000;

export function createBlockedHosts(db: Pick<Database, 'query'>): BlockedHosts {
  let cached: { hosts: Promise<ReadonlySet<string>>; until: number } | undefined;

  async function readHosts(): Promise<ReadonlySet<string>> {
    const statement = { name: 'blocked_targets', text: 'select host from blocked_targets', values: [] };
    const rows = await withTimeout(db.query<{ host: string }>(statement), READ_TIMEOUT_MS);
    return new Set(rows.map(({ host }) => host));
  }

  return {
    read() {
      if (cached && performance.now() < cached.until) return cached.hosts;
      const entry = { hosts: readHosts(), until: performance.now() + CACHE_MS };
      cached = entry;
      entry.hosts.catch(() => {
        if (cached === entry) cached = undefined;
      });
      return entry.hosts;
    },
    invalidate() {
      cached = undefined;
    },
  };
}

/** Whether a URL is at one of these hosts or a subdomain of one. */
export function isAtHost(url: string, hosts: ReadonlySet<string>): boolean {
  return hosts.size > 0 && listHostsOf(url).some((host) => hosts.has(host));
}

/** The host of a URL and its parent domains, nearest first; empty for an invalid URL. */
export function listHostsOf(url: string): string[] {
  const labels = parseUrl(url)?.hostname.replace(/\.$/, '').split('.') ?? [];
  return labels.map((_, from) => labels.slice(from).join('.'));
}
