import { eq } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { sandboxClock } from '#host/db/payments.tables';
import type { Clock } from '#host/http/deps';

const ROW = 1;

/** The time of `base` plus the sandbox's offset, which survives a restart once `restore` has read it. */
export function createSandboxClock(base: Clock): Clock & { restore(orm: Orm): Promise<void> } {
  let aheadMs = 0;
  return {
    ...base,
    now: () => new Date(base.now().getTime() + aheadMs),
    set: (date) => {
      aheadMs = date.getTime() - base.now().getTime();
    },
    keep: (orm) => keepAhead(orm, String(aheadMs)),
    restore: async (orm) => {
      aheadMs = await readAhead(orm);
    },
  };
}

async function keepAhead(orm: Orm, aheadMs: string): Promise<void> {
  await orm
    .insert(sandboxClock)
    .values({ id: ROW, aheadMs })
    .onConflictDoUpdate({ target: sandboxClock.id, set: { aheadMs } });
}

async function readAhead(orm: Orm): Promise<number> {
  const [row] = await orm.select().from(sandboxClock).where(eq(sandboxClock.id, ROW));
  return row ? Number(row.aheadMs) : 0;
}
