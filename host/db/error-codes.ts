/** A statement waited longer for a lock than `lock_timeout` allows. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** Whether an error, or one of its causes, has this PostgreSQL error code. */
export function hasCode(error: unknown, wanted: string): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === wanted || (cause instanceof Error && hasCode(cause, wanted));
}
