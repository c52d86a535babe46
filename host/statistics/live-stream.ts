/** One listener's stream of server-sent events. */
export interface LiveStream {
  body: ReadableStream<Uint8Array>;
  /** Reports that figures have changed. */
  notify(): void;
  end(): void;
}

interface LiveStreamOptions {
  now(): Date;
  heartbeatMs: number;
  /** Whether the listener still has access; checked at each heartbeat. */
  isAllowed(): Promise<boolean>;
  onEnd(): void;
}

const MIN_INTERVAL_MS = 250;
const RECONNECT_MS = 3_000;
/** A listener that has read nothing for this many heartbeats is gone. */
const MAX_UNREAD_HEARTBEATS = 3;

const encoder = new TextEncoder();

/**
 * At most one event waits for its reader: everything that happens until it is read is merged into the next one, so
 * that a slow reader uses no memory.
 */
export function openLiveStream({ now, heartbeatMs, isAllowed, onEnd }: LiveStreamOptions): LiveStream {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let throttleTimer: NodeJS.Timeout | undefined;
  let isEventPending = false;
  let hasEnded = false;
  let unreadHeartbeats = 0;
  let lastSentAt = Number.NEGATIVE_INFINITY;

  const body = new ReadableStream<Uint8Array>({
    start(streamController) {
      controller = streamController;
      write(`retry: ${RECONNECT_MS}\n\n${formatEvent('ready', now())}`);
    },
    pull() {
      if (!throttleTimer) flush();
    },
    cancel: cleanUp,
  });
  const heartbeatTimer = setInterval(() => void sendHeartbeat(), heartbeatMs);

  function write(text: string): void {
    controller.enqueue(encoder.encode(text));
  }

  function isBufferEmpty(): boolean {
    return (controller.desiredSize ?? 0) > 0;
  }

  function notify(): void {
    if (hasEnded) return;
    isEventPending = true;
    throttleTimer ??= setTimeout(
      () => {
        throttleTimer = undefined;
        flush();
      },
      Math.max(0, lastSentAt + MIN_INTERVAL_MS - performance.now()),
    );
  }

  function flush(): void {
    if (!isEventPending || hasEnded || !isBufferEmpty()) return;
    isEventPending = false;
    lastSentAt = performance.now();
    write(formatEvent('visits', now()));
  }

  async function sendHeartbeat(): Promise<void> {
    unreadHeartbeats = isBufferEmpty() ? 0 : unreadHeartbeats + 1;
    if (unreadHeartbeats === 0) write(':\n\n');
    if (unreadHeartbeats === MAX_UNREAD_HEARTBEATS || !(await isAllowed())) end();
  }

  function cleanUp(): void {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(heartbeatTimer);
    clearTimeout(throttleTimer);
    onEnd();
  }

  function end(): void {
    if (hasEnded) return;
    cleanUp();
    controller.close();
  }

  return { body, notify, end };
}

function formatEvent(name: string, at: Date): string {
  return `event: ${name}\ndata: ${JSON.stringify({ at: at.toISOString() })}\n\n`;
}
