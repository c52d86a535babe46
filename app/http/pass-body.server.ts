import { untilTaken } from './slow-readers.server';

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
