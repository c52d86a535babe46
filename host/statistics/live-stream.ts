/** One listener's stream of server-sent events. */
export interface LiveStream {
  body: ReadableStream<Uint8Array>;
  /** Reports that figures have changed. */
  notify(): void;
  end(): void;
}

interface Conditions {
  now(): Date;
  heartbeatMs: number;
  /** Whether the listener still has access; checked at each heartbeat. */
  isAllowed(): Promise<boolean>;
  onEnd(): void;
}

const PAUSE_MS = 250;
const RECONNECT_MS = 3_000;
/** A listener that has read nothing for this many heartbeats is gone. */
const UNREAD_BEATS = 3;

const encoder = new TextEncoder();

/**
 * At most one event waits for its reader: everything that happens until it is read is merged into the next one, so
 * that a slow reader uses no memory.
 */
export function openLiveStream({ now, heartbeatMs, isAllowed, onEnd }: Conditions): LiveStream {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let pause: NodeJS.Timeout | undefined;
  let isOwed = false;
  let hasEnded = false;
  let unread = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      write(`retry: ${RECONNECT_MS}\n\n${eventOf('ready', now())}`);
    },
    pull() {
      if (!pause) flush();
    },
    cancel: forget,
  });
  const heart = setInterval(() => void beat(), heartbeatMs);

  function write(text: string): void {
    controller.enqueue(encoder.encode(text));
  }

  function hasRead(): boolean {
    return (controller.desiredSize ?? 0) > 0;
  }

  function notify(): void {
    if (hasEnded) return;
    isOwed = true;
    pause ??= setTimeout(
      () => {
        pause = undefined;
        flush();
      },
      Math.max(0, toldAt + PAUSE_MS - performance.now()),
    );
  }

  function flush(): void {
    if (!isOwed || hasEnded || !hasRead()) return;
    isOwed = false;
    toldAt = performance.now();
    write(eventOf('visits', now()));
  }

  async function beat(): Promise<void> {
    unread = hasRead() ? 0 : unread + 1;
    if (unread === 0) write(':\n\n');
    if (unread === UNREAD_BEATS || !(await isAllowed())) end();
  }

  function forget(): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(heart);
    clearTimeout(pause);
    onEnd();
  }

  function end(): void {
    if (hasEnded) return;
    forget();
    controller.close();
  }

  return { body, notify, end };
}

function eventOf(name: string, at: Date): string {
  return `event: ${name}\ndata: ${JSON.stringify({ at: at.toISOString() })}\n\n`;
}
