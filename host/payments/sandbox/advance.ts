import { processLinkRequests } from '#host/accounts/link-requests';
import type { Deps } from '#host/http/deps';
import { deliverDueMails } from '#host/mail/delivery';
import { nextBillingAt, runBilling } from '#host/subscriptions/billing-work';

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
