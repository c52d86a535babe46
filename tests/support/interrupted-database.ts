import type { Database } from '#host/db/client';

/** A real database on which a test can act right before a transaction begins, making earlier reads stale. */
export function interruptible(db: Database) {
  let pending: (() => unknown) | null = null;

  const orm = new Proxy(db.orm, {
    get(target, key) {
      if (key !== 'transaction') return Reflect.get(target, key);
      return async (...work: Parameters<typeof target.transaction>) => {
        const act = pending;
        pending = null;
        await act?.();
        return target.transaction(...work);
      };
    },
  });

  /** Runs `act` once, right before the next transaction. */
  function interrupt(act: () => unknown): void {
    pending = act;
  }

  return { db: { ...db, orm } satisfies Database, interrupt };
}
