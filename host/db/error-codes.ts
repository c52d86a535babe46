/** Of a statement that waited longer for a lock than `lock_timeout` allows. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** True where an error, or what it was caused by, has this code of PostgreSQL. */
export function hasCode(error: unknown, wanted: string): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === wanted || (cause instanceof Error && hasCode(cause, wanted));
}
