import { eq } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { sandboxClock } from '#host/db/payments.tables';
import type { Clock, Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { deliverDueMails } from '#host/mail/delivery';
import { processLinkRequests } from '#host/sign-in/link-requests';
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

/** Longer than what a host that died has claimed stays claimed. */
const MAX_STALLED_MS = 40_000;
const PAUSE_MS = 50;
const RETRY_AFTER_SECONDS = 5;

/**
 * Moves an adjustable clock forward; stops at everything that falls due on the way and does it. Throws `unavailable`,
 * and leaves the clock there, if another host has claimed some of it and does not finish.
 */
export async function advanceTo(deps: Deps, until: Date): Promise<void> {
  const { clock } = deps;
  let progressAt = performance.now();
  for (;;) {
    await runAll(deps);
    const next = await nextBillingAt(deps, until);
    if (!next) break;
    if (next > clock.now()) {
      clock.set?.(next);
      progressAt = performance.now();
      continue;
    }
    if (performance.now() - progressAt > MAX_STALLED_MS)
      throw new ApiError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
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
