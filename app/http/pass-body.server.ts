import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The body of another program's answer, part by part as the browser takes it; ends without an error on `leaving`. */
export function passBody(
  request: Request,
  body: ReadableStream<Uint8Array>,
  leaving: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    onEnd();
    controller.close();
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          await untilTaken(request);
          if (done) end(controller);
          else controller.enqueue(value);
        } catch (error) {
          if (!leaving.aborted) throw error;
          end(controller);
        }
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
const LOOK_MS = 20;

globalThis.openResponses ??= numberResponses();

/**
 * Waits while the browser behind a request takes nothing. Remix writes a body as fast as it comes, whether or not
 * somebody reads it; a long answer that waits here between its parts is held in memory by neither program.
 */
export async function untilTaken(request: Request): Promise<void> {
  const response = globalThis.openResponses?.get(request.headers.get(NUMBER_HEADER) ?? '');
  // Polled, because the compression middleware swallows the `drain` event.
  while (response?.writableNeedDrain && !response.destroyed) await delay(LOOK_MS);
}

/** Numbers answers on the channel on which Node announces requests; the header is overwritten, so it cannot be forged. */
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
