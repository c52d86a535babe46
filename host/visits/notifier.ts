import type { Deps } from '#host/http/deps';

/** Channel that tells live listeners in every node whose figures changed: ids of codes by comma, or `*` for many. */
export const VISITS_CHANNEL = 'visits';

const PAUSE_MS = 250;
/** PostgreSQL takes 7,999 bytes. */
const PAYLOAD_IDS = 180;

interface Notifier {
  tell(written: { codeId: string | null }[]): void;
  close(): Promise<void>;
}

/**
 * Tells of written visits and engagements, four times a second at most. Not inside the batch: a commit with a NOTIFY holds a lock of
 * the whole server, which would make the commits of all nodes wait for each other.
 */
export function createNotifier({ db, log }: Pick<Deps, 'db' | 'log'>): Notifier {
  let codes = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function tell(written: { codeId: string | null }[]): void {
    for (const { codeId } of written) if (codeId !== null) codes.add(codeId);
    if (codes.size > 0) timer ??= setTimeout(send, PAUSE_MS);
  }

  function send(): void {
    timer = undefined;
    const payload = codes.size > PAYLOAD_IDS ? '*' : [...codes].join(',');
    codes = new Set();
    sending = db
      .query({ name: 'visits_notify', text: 'select pg_notify($1, $2)', values: [VISITS_CHANNEL, payload] })
      .then(
        () => undefined,
        (error: unknown) => log.warn({ err: error }, 'live listeners were not told of new figures'),
      );
  }

  async function close(): Promise<void> {
    if (timer) {
      clearTimeout(timer);
      send();
    }
    await sending;
  }

  return { tell, close };
}
