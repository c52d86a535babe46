import type { Logger } from 'pino';

/**
 * The body of an answer that is written piece by piece, each when it is wanted. Its status is sent long before the
 * last piece: when one cannot be written, the connection breaks and the log says so, naming `what`.
 */
export function streamText(
  texts: AsyncGenerator<string>,
  log: Logger,
  what: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await texts.next();
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          log.error({ err: error, what }, 'an answer broke off');
          throw error;
        }
      },
      async cancel() {
        await texts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
