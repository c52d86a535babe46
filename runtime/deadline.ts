/**
 * Runs work with a signal that is aborted after a time, with a `TimeoutError`, or together with `other`. For
 * `AbortSignal.any`, whose signals Node.js 20 forgets after a garbage collection.
 */
export async function withDeadline<Result>(
  ms: number,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException('took too long', 'TimeoutError')), ms);
  const leave = () => controller.abort(other?.reason);
  other?.addEventListener('abort', leave, { once: true });
  if (other?.aborted) leave();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    other?.removeEventListener('abort', leave);
  }
}
