/**
 * `fetch` that resolves when the body has been read as well. On Node.js 20 the signal given to `fetch` no longer ends
 * a body that stalls once the request has been garbage-collected, so here it is observed until the end.
 */
export const fetchWhole: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  return init?.signal ? readWhole(response, init.signal) : response;
};

/** The same for a response that has begun; rejects with the signal's reason. */
export async function readWhole(response: Response, signal: AbortSignal): Promise<Response> {
  const reader = response.body?.getReader();
  if (!reader) return response;
  // A source that fails while it is cancelled has nobody left to report it to.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const chunks: Uint8Array[] = [];
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, response);
}
