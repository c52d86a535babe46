import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time';
import { addressesAt, isOfInterest, leadsTo } from '#host/codes/code/destination';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { destinations } from '#host/db/insight.tables';
import type { Deps } from '#host/http/deps';
import { claimFor, isUnclaimed } from '#host/jobs/queue';
import { withDeadline } from '#runtime/deadline';
import { Asker, type Outcome, type Wait } from './ask';
import { recordFailures } from './failure-events';
import { planMails } from './mail';

/** Destinations that a node asks at the same time, each at another host. */
const AT_ONCE = 10;
/** A destination with all its redirects; the claim outlasts it. */
const LIMIT_MS = 2 * MINUTE_MS;
const CLAIM_SECONDS = 180;
/** After a failure that is not confirmed yet. */
const AGAIN_MS = HOUR_MS;
/** At least between the first look that failed and the one that confirms it. */
const CONFIRMING_MS = AGAIN_MS / 2;
/** A failure is told once this many looks in a row have seen it. */
const CONFIRMED = 2;
/** Destinations of codes that were made or changed so recently are asked at once, others within a day. */
const RECENT_MS = 2 * HOUR_MS;
/** The others follow with the next run. */
const COLLECTED_AT_ONCE = 20_000;

type Destination = typeof destinations.$inferSelect;

/** Begins to watch the destinations of codes that are not watched yet. */
export async function collectDestinations(orm: Orm, now: Date): Promise<void> {
  const [at, recent] = [now, new Date(now.getTime() - RECENT_MS)].map(
    (moment) => sql`${moment.toISOString()}::timestamptz`,
  );
  // The first digits of a key spread destinations over the day.
  const spread = sql`('x' || left(key, 6))::bit(24)::integer / 16777216.0 * interval '1 day'`;
  await orm.execute(
    sql`insert into destinations (key, address, next_at)
      select key, address, case when changed_at > ${recent} then ${at} else ${at} + ${spread} end from (
        select md5(one.address) as key, min(one.address) as address, max(${codes.updatedAt}) as changed_at
        from ${codes}, unnest(${addressesAt(now)}) as one(address)
        where ${isOfInterest(now)} and one.address is not null
          and not exists (select from ${destinations} where ${destinations.key} = md5(one.address))
        group by 1 limit ${COLLECTED_AT_ONCE}
      ) as found
      on conflict do nothing`,
  );
}

/** Asks every destination that is due. Any number of nodes may do so at the same time. */
export function createDestinationCheck(deps: Deps, wait?: Wait): (stopping?: AbortSignal) => Promise<void> {
  const asker = new Asker(deps, wait);
  return async (stopping) => {
    const running = new Map<string, Promise<void>>();
    try {
      while (!stopping?.aborted) {
        const busy = [...running.keys()];
        const destination =
          busy.length < AT_ONCE ? await claimDue(deps.db.orm, busy, deps.clock.now()) : null;
        if (destination) {
          const host = hostOf(destination);
          const work = check(deps, asker, destination, stopping).finally(() => running.delete(host));
          running.set(host, work);
        } else if (busy.length === 0) return;
        // One that is over meanwhile may have kept another of its host from being claimed.
        else if (running.size === busy.length) await Promise.race(running.values());
      }
    } finally {
      await Promise.all(running.values());
    }
  };
}

/** As in `HOST`. */
function hostOf({ address }: Destination): string {
  return (/^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '').toLowerCase();
}

const HOST = sql`lower(substring(${destinations.address} from '(?i)^https?://([^/?#]*)'))`;

/** Claims the destination that has been due longest, at none of the hosts that are being asked. */
async function claimDue(orm: Orm, busyHosts: string[], now: Date): Promise<Destination | null> {
  const isFree = sql`coalesce(${HOST}, '') <> all (${sql.param(busyHosts)}::text[])`;
  const due = orm
    .select({ key: destinations.key })
    .from(destinations)
    .where(and(lte(destinations.nextAt, now), isUnclaimed(destinations), isFree))
    .orderBy(destinations.nextAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const [claimed] = await orm
    .update(destinations)
    .set(claimFor(destinations, CLAIM_SECONDS))
    .where(sql`${destinations.key} = any(array(${due}))`)
    .returning();
  return claimed ?? null;
}

/** Asks a destination and keeps what was seen; one that cannot be checked does not keep others from it. */
async function check(
  deps: Deps,
  asker: Asker,
  destination: Destination,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const { orm } = deps.db;
  const isHeld = isStillHeld(destination);
  try {
    if (!(await isWanted(orm, destination, deps.clock.now()))) {
      await orm.delete(destinations).where(isHeld);
      return;
    }
    const outcome = await askInTime(asker, destination, stopping);
    if (outcome) await record(deps, destination, outcome);
    else await orm.update(destinations).set({ claimedUntil: null }).where(isHeld);
  } catch (thrown) {
    // Its claim runs out, and another attempt follows.
    deps.log.error({ err: thrown, destination: destination.key }, 'destination not checked');
  }
}

/** Null if the host stops. */
async function askInTime(
  asker: Asker,
  { address }: Destination,
  stopping: AbortSignal | undefined,
): Promise<Outcome | null> {
  return withDeadline(LIMIT_MS, stopping, async (ends) => {
    try {
      return await asker.ask(address, ends);
    } catch (thrown) {
      if (stopping?.aborted) return null;
      if (ends.aborted) return { kind: 'fails', problem: 'timeout' };
      throw thrown;
    }
  });
}

/** Another node has it if this one took too long. */
function isStillHeld({ key, attempts }: Destination): SQL | undefined {
  return and(eq(destinations.key, key), eq(destinations.attempts, attempts));
}

async function isWanted(orm: Orm, destination: Destination, now: Date): Promise<boolean> {
  const [code] = await orm
    .select({ id: codes.id })
    .from(codes)
    .where(and(leadsTo(destination, now), isOfInterest(now)))
    .limit(1);
  return code !== undefined;
}

/** Keeps what was seen, and plans mails and messages once a failure is confirmed: this is where it becomes known. */
async function record(deps: Deps, destination: Destination, outcome: Outcome): Promise<void> {
  const now = deps.clock.now();
  const seen = stateAfter(destination, outcome, now);
  await deps.db.orm.transaction(async (transaction) => {
    const [kept] = await transaction
      .update(destinations)
      .set({ ...seen, claimedUntil: null })
      .where(isStillHeld(destination))
      .returning({ key: destinations.key });
    if (!kept || !seen.confirmedAt || destination.confirmedAt) return;
    await planMails(transaction, destination, now);
    await recordFailures(transaction, destination, now);
  });
}

const NOTHING_WRONG = {
  problem: null,
  status: null,
  movedTo: null,
  failures: 0,
  failingSince: null,
  confirmedAt: null,
};

function stateAfter(before: Destination, outcome: Outcome, now: Date) {
  const tomorrow = nextTurn(before.key, now);
  if (outcome.kind === 'unsure') return { confirmedAt: before.confirmedAt, nextAt: tomorrow };
  if (outcome.kind !== 'fails') return { ...NOTHING_WRONG, checkedAt: now, nextAt: tomorrow };
  const { problem, status = null, movedTo = null } = outcome;
  const failures = before.failures + 1;
  // A look that its owner asked for comes earlier, and confirms nothing.
  const since = before.failingSince ?? now;
  const isConfirmed = failures >= CONFIRMED && now.getTime() - since.getTime() >= CONFIRMING_MS;
  return {
    problem,
    status,
    movedTo,
    failures,
    checkedAt: now,
    failingSince: since,
    confirmedAt: before.confirmedAt ?? (isConfirmed ? now : null),
    nextAt: isConfirmed
      ? tomorrow
      : new Date(Math.max(since.getTime() + AGAIN_MS, now.getTime() + MINUTE_MS)),
  };
}

/** The moment of the day that is a destination's own, at least half a day from now. */
function nextTurn(key: string, now: Date): Date {
  const offset = Math.floor((Number.parseInt(key.slice(0, 8), 16) / 2 ** 32) * DAY_MS);
  const earliest = now.getTime() + DAY_MS / 2;
  const today = earliest - (earliest % DAY_MS) + offset;
  return new Date(today >= earliest ? today : today + DAY_MS);
}
