import type { Logger } from 'pino';

/**
 * A response body that is produced in chunks, on demand. The status is sent long before the last chunk: if one fails,
 * the connection is aborted, and that is logged with `what`.
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
          log.error({ err: error, what }, 'a response was aborted');
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
