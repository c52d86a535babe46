import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Streams the body of another server's response with backpressure; `leaving` ends it without an error. */
export function passBody(
  request: Request,
  body: ReadableStream<Uint8Array>,
  leaving: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          await untilDrained(request);
          if (!done) return controller.enqueue(value);
        } catch (error) {
          if (!leaving.aborted) {
            onEnd();
            throw error;
          }
        }
        onEnd();
        controller.close();
      },
      cancel(reason) {
        onEnd();
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
