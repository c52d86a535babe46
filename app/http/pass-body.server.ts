import { subscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Streams a body with backpressure; `leaving` cancels its source and ends it without an error. */
export function passBody(
  request: Request,
  body: ReadableStream<Uint8Array>,
  leaving: AbortSignal,
  onEnd: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // A source that fails while it is cancelled has nobody left to report it to.
  const leave = () => void reader.cancel().catch(() => undefined);
  leaving.addEventListener('abort', leave, { once: true });
  if (leaving.aborted) leave();
  const release = () => {
    leaving.removeEventListener('abort', leave);
    onEnd();
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          await untilDrained(request);
          if (!done) return controller.enqueue(value);
        } catch (error) {
          if (!leaving.aborted) {
            release();
            throw error;
          }
        }
        release();
        controller.close();
      },
      cancel(reason) {
        release();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

declare global {
  var openResponses: Map<string, ServerResponse> | undefined;
}

const NUMBER_HEADER = 'x-response-number';
const POLL_MS = 20;

globalThis.openResponses ??= numberResponses();

/**
 * Waits until the response's write buffer has drained. Remix writes a body without regard to backpressure; a long
 * response that waits here between its chunks is not buffered in memory by either program.
 */
export async function untilDrained(request: Request): Promise<void> {
  const response = globalThis.openResponses?.get(request.headers.get(NUMBER_HEADER) ?? '');
  // Polled, because the compression middleware swallows the `drain` event.
  while (response?.writableNeedDrain && !response.destroyed) await delay(POLL_MS);
}

/**
 * Aborted when the response to a request has ended or its client has disconnected. Remix passes on requests made from
 * requests, which undici links by weak references: their own signal is lost after a garbage collection.
 */
export function signalOf(request: Request): AbortSignal {
  const number = request.headers.get(NUMBER_HEADER);
  // Only tests call the website without a server.
  if (number === null) return request.signal;
  const response = globalThis.openResponses?.get(number);
  if (!response) return AbortSignal.abort();
  const ended = new AbortController();
  // Each call in progress adds a listener, and a page may make many: no leak to warn about.
  setMaxListeners(0, ended.signal);
  response.once('close', () => ended.abort());
  return ended.signal;
}

/** Numbers responses through a diagnostics channel; the header is overwritten, so that clients cannot forge it. */
function numberResponses(): Map<string, ServerResponse> {
  const responses = new Map<string, ServerResponse>();
  let last = 0;
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    last += 1;
    const number = String(last);
    request.headers[NUMBER_HEADER] = number;
    responses.set(number, response);
    response.once('close', () => responses.delete(number));
  });
  return responses;
}
