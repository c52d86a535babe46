import { processLinkRequests } from '#host/accounts/link-requests';
import type { Deps } from '#host/http/deps';
import { deliverDueMails } from '#host/mail/delivery';
import { nextBillingAt, runBilling } from '#host/subscriptions/billing-work';

const MOST_STOPS = 10_000;
/** Limits how long a job that waits after an error, or that another node is working on, can hold up the clock. */
const STUCK_STOPS = 40;
const PAUSE_MS = 50;

/** Moves an adjustable clock forward; stops at everything that falls due on the way and does it. */
export async function advanceTo(deps: Deps, until: Date): Promise<void> {
  const { clock } = deps;
  let stuck = 0;
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await runAll(deps);
    const next = await nextBillingAt(deps, until);
    if (!next) break;
    if (next > clock.now()) {
      clock.set?.(next);
      stuck = 0;
      continue;
    }
    stuck += 1;
    if (stuck > STUCK_STOPS) break;
    await new Promise((done) => setTimeout(done, PAUSE_MS));
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
