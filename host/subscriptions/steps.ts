import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull, lt, lte, min, or, type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { MARKS_KEPT_MS } from '#host/db/kept-time';
import { billingSteps } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';

export type Step = Pick<typeof billingSteps.$inferSelect, 'id' | 'kind' | 'subject' | 'key' | 'dueAt'>;
export type StepKind = Step['kind'];

/** Does one step. It may be called again for a step that was done: whatever it finds done already stays as it is. */
export type Handler = (step: Step, now: Date) => Promise<void>;

/** A step is claimed for so long, and claimed again while its node lives: that of a node that died is soon free. */
const CLAIM_SECONDS = 25;
const RENEW_MS = 8_000;
/** Waits after an error, by the clock of the database. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1800];

/** Books a step in the transaction of what it follows from; a second one with the same key is not booked. */
export async function bookStep(orm: Orm, step: Omit<Step, 'id'>): Promise<void> {
  await orm
    .insert(billingSteps)
    .values({ id: randomUUID(), ...step })
    .onConflictDoNothing({ target: billingSteps.key });
}

/** A step and which claim on it this is: by the number of the attempt a node knows whether it still has the step. */
type ClaimedStep = Step & Pick<typeof billingSteps.$inferSelect, 'attempts'>;
type Outside = Pick<Deps, 'db' | 'log'>;

/**
 * Does every due step, those that fall due by it included, until there is none or the host stops. Any number of nodes
 * may: each claims the step it is at, and no other, so that none waits for its turn with its claim running out.
 */
export async function runDueSteps(
  deps: Outside,
  handlers: Record<StepKind, Handler>,
  now: Date,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) {
    const step = await claim(deps.db.orm, lte(billingSteps.dueAt, now));
    if (!step) return;
    await run(deps, handlers, step, now);
  }
}

/** Does one step at once, unless it was done or another node is at it. */
export async function runStep(
  deps: Outside,
  handlers: Record<StepKind, Handler>,
  key: string,
  now: Date,
): Promise<void> {
  const isDue = and(eq(billingSteps.key, key), lte(billingSteps.dueAt, now));
  const step = await claim(deps.db.orm, isDue);
  if (step) await run(deps, handlers, step, now);
}

/** The first of these steps that nobody is at; its row is this node's for a while. */
async function claim(orm: Orm, which: ReturnType<typeof and>): Promise<ClaimedStep | null> {
  const due = orm
    .select({ id: billingSteps.id })
    .from(billingSteps)
    .where(
      and(
        which,
        isNull(billingSteps.doneAt),
        or(isNull(billingSteps.claimedUntil), lt(billingSteps.claimedUntil, sql`now()`)),
      ),
    )
    .orderBy(billingSteps.dueAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const [step] = await orm
    .update(billingSteps)
    .set({
      attempts: sql`${billingSteps.attempts} + 1`,
      claimedUntil: inSeconds(CLAIM_SECONDS),
    })
    .where(sql`${billingSteps.id} = any(array(${due}))`)
    .returning();
  return step ?? null;
}

async function run(
  { db, log }: Outside,
  handlers: Record<StepKind, Handler>,
  step: ClaimedStep,
  now: Date,
): Promise<void> {
  const isStep = eq(billingSteps.id, step.id);
  const isOurs = and(isStep, eq(billingSteps.attempts, step.attempts), isNull(billingSteps.doneAt));
  const renewal = setInterval(() => {
    db.orm
      .update(billingSteps)
      .set({ claimedUntil: inSeconds(CLAIM_SECONDS) })
      .where(isOurs)
      .catch((error: unknown) =>
        log.warn({ err: error, step: step.key }, 'claim on a billing step not renewed'),
      );
  }, RENEW_MS);
  try {
    await handlers[step.kind](step, now);
  } catch (thrown) {
    log.error({ err: thrown, step: step.key }, 'billing step failed, will be tried again');
    const lastError = thrown instanceof Error ? thrown.message.slice(0, 300) : 'unknown';
    const waits = sql`(array[${sql.raw(BACKOFF_SECONDS.join(','))}])[least(${billingSteps.attempts}, ${sql.raw(String(BACKOFF_SECONDS.length))})]`;
    await db.orm
      .update(billingSteps)
      .set({ lastError, claimedUntil: inSeconds(waits) })
      .where(isOurs);
    return;
  } finally {
    clearInterval(renewal);
  }
  // One that was put off meanwhile is still to be done.
  await db.orm
    .update(billingSteps)
    .set({ doneAt: now, claimedUntil: null, lastError: null })
    .where(and(isStep, eq(billingSteps.dueAt, step.dueAt)));
}

/** Has the step that is being done be done later instead. */
export async function postponeStep(orm: Orm, { id }: Step, dueAt: Date): Promise<void> {
  await orm.update(billingSteps).set({ dueAt, claimedUntil: null }).where(eq(billingSteps.id, id));
}

/** Makes an account's charges due now that were to be made later. */
export async function hastenCharges(orm: Orm, accountId: string, now: Date): Promise<void> {
  await orm
    .update(billingSteps)
    .set({ dueAt: now })
    .where(
      and(
        isNull(billingSteps.doneAt),
        eq(billingSteps.kind, 'charge'),
        eq(billingSteps.subject, accountId),
        gt(billingSteps.dueAt, now),
      ),
    );
}

function inSeconds(seconds: number | SQL): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}

/** When the next step that nobody waits for falls due, at most `until`. Steps that wait after an error do not count. */
export async function nextStepAt(orm: Orm, until: Date): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(billingSteps.dueAt) })
    .from(billingSteps)
    .where(and(isNull(billingSteps.doneAt), isNull(billingSteps.lastError), lte(billingSteps.dueAt, until)));
  return row?.at ?? null;
}

/** When the account's card is tried next. */
export async function nextChargeAt(orm: Orm, accountId: string): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(billingSteps.dueAt) })
    .from(billingSteps)
    .where(
      and(isNull(billingSteps.doneAt), eq(billingSteps.kind, 'charge'), eq(billingSteps.subject, accountId)),
    );
  return row?.at ?? null;
}

/** Drops steps that were done more than 13 months ago. */
export async function dropOldSteps(orm: Orm, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MARKS_KEPT_MS);
  await orm.delete(billingSteps).where(lt(billingSteps.doneAt, before));
}
