import type { Database } from '#host/db/client';

/** A real database on which something else can happen right before a transaction begins: what was read until then is old. */
export function interruptible(db: Database) {
  let meanwhile: (() => unknown) | null = null;

  const orm = new Proxy(db.orm, {
    get(target, key) {
      if (key !== 'transaction') return Reflect.get(target, key);
      return async (...work: Parameters<typeof target.transaction>) => {
        const act = meanwhile;
        meanwhile = null;
        await act?.();
        return target.transaction(...work);
      };
    },
  });

  /** Before the next transaction, once. */
  function interrupt(act: () => unknown): void {
    meanwhile = act;
  }

  return { db: { ...db, orm } satisfies Database, interrupt };
}
