import { eq } from 'drizzle-orm';
import { processLinkRequests } from '#host/accounts/link-requests';
import type { Orm } from '#host/db/client';
import { sandboxClock } from '#host/db/payments.tables';
import type { Clock, Deps } from '#host/http/deps';
import { deliverDueMails } from '#host/mail/delivery';
import { nextBillingAt, runBilling } from '#host/subscriptions/billing-work';

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

const MAX_STEPS = 10_000;
/** Limits how long a job that waits after an error, or that another node is working on, can hold up the clock. */
const MAX_STALLED_STEPS = 40;
const PAUSE_MS = 50;

/** Moves an adjustable clock forward; stops at everything that falls due on the way and does it. */
export async function advanceTo(deps: Deps, until: Date): Promise<void> {
  const { clock } = deps;
  let stalled = 0;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await runAll(deps);
    const next = await nextBillingAt(deps, until);
    if (!next) break;
    if (next > clock.now()) {
      clock.set?.(next);
      stalled = 0;
      continue;
    }
    stalled += 1;
    if (stalled > MAX_STALLED_STEPS) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  if (until > clock.now()) clock.set?.(until);
  await runAll(deps);
}

async function runAll(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  await runBilling(deps, now);
  await processLinkRequests(deps, now);
  await deliverDueMails(deps, now);
}
