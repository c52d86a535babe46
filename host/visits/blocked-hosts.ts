import type { Database } from '#host/db/client';
import { withTimeout } from '#host/http/timeout';

/** Hosts that no code leads to. */
interface BlockedHosts {
  /** Read anew after `forget`, and at the latest after half a minute. */
  read(): Promise<ReadonlySet<string>>;
  /** Something about them has changed. */
  forget(): void;
}

const FRESH_MS = 30_000;
const WAIT_MS = 3_000;

export function createBlockedHosts(db: Pick<Database, 'query'>): BlockedHosts {
  let known: { hosts: Promise<ReadonlySet<string>>; until: number } | undefined;

  async function readHosts(): Promise<ReadonlySet<string>> {
    const statement = { name: 'blocked_targets', text: 'select host from blocked_targets', values: [] };
    const rows = await withTimeout(db.query<{ host: string }>(statement), WAIT_MS);
    return new Set(rows.map(({ host }) => host));
  }

  return {
    read() {
      if (known && performance.now() < known.until) return known.hosts;
      const reading = { hosts: readHosts(), until: performance.now() + FRESH_MS };
      known = reading;
      reading.hosts.catch(() => {
        if (known === reading) known = undefined;
      });
      return reading.hosts;
    },
    forget() {
      known = undefined;
    },
  };
}

/** Whether an address is at one of these hosts or below it. */
export function isAtHost(address: string, hosts: ReadonlySet<string>): boolean {
  if (hosts.size === 0 || !URL.canParse(address)) return false;
  const labels = new URL(address).hostname.replace(/\.$/, '').split('.');
  return labels.some((_, from) => hosts.has(labels.slice(from).join('.')));
}
