import { eq } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { sandboxClock } from '#host/db/payments.tables';
import type { Clock } from '#host/http/deps';

const ROW = 1;

/** The machine's time plus what the sandbox was moved ahead, which outlives a restart: once `restore` has read it. */
export function createSandboxClock(): Clock & { restore(orm: Orm): Promise<void> } {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    set: (date) => {
      aheadMs = date.getTime() - Date.now();
    },
    restore: async (orm) => {
      aheadMs = await readAhead(orm);
    },
  };
}

/** Keeps where the clock stands now. */
export async function keepSandboxClock(orm: Orm, clock: Clock): Promise<void> {
  const aheadMs = String(clock.now().getTime() - Date.now());
  await orm
    .insert(sandboxClock)
    .values({ id: ROW, aheadMs })
    .onConflictDoUpdate({ target: sandboxClock.id, set: { aheadMs } });
}

async function readAhead(orm: Orm): Promise<number> {
  const [row] = await orm.select().from(sandboxClock).where(eq(sandboxClock.id, ROW));
  return row ? Number(row.aheadMs) : 0;
}
