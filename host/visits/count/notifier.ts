import type { Deps } from '#host/http/deps';

/** Notifies live listeners on all nodes of changed figures: ids of codes separated by commas, or `*` for many. */
export const VISITS_CHANNEL = 'visits';

const INTERVAL_MS = 250;
/** A payload of PostgreSQL has at most 7,999 bytes. */
const PAYLOAD_IDS = 180;

export interface Notifier {
  notify(written: { codeId: string | null }[]): void;
  close(): Promise<void>;
}

/**
 * Notifies of counted visits and engagements, at most four times a second. Not in the transaction that counts: a commit
 * with a NOTIFY takes a server-wide lock, on which the commits of all nodes would wait for each other.
 */
export function createNotifier({ db, log }: Pick<Deps, 'db' | 'log'>): Notifier {
  let codes = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function notify(counted: { codeId: string | null }[]): void {
    for (const { codeId } of counted) if (codeId !== null) codes.add(codeId);
    if (codes.size > 0) timer ??= setTimeout(send, INTERVAL_MS);
  }

  function send(): void {
    timer = undefined;
    const payload = codes.size > PAYLOAD_IDS ? '*' : [...codes].join(',');
    codes = new Set();
    sending = db
      .query({ name: 'visits_notify', text: 'select pg_notify($1, $2)', values: [VISITS_CHANNEL, payload] })
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'live listeners were not notified of new figures'),
      );
  }

  async function close(): Promise<void> {
    if (timer) {
      clearTimeout(timer);
      send();
    }
    await sending;
  }

  return { notify, close };
}
