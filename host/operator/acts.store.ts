import { desc, eq, lt, or } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { operatorActs } from '#host/db/operator.tables';

type ActRow = typeof operatorActs.$inferSelect;

const KEPT_YEARS = 5;

/** Writes down what an operator changes. Call it in the transaction of the change. */
export async function recordAct(orm: Orm, act: Omit<ActRow, 'id'>): Promise<void> {
  await orm.insert(operatorActs).values(act);
}

/** Newest first; about a subject or an account where one is named. */
export async function listActs(orm: Orm, about: string | null, limit: number): Promise<ActRow[]> {
  const isId = about !== null && /^[0-9a-f-]{36}$/.test(about);
  return orm
    .select()
    .from(operatorActs)
    .where(
      about === null
        ? undefined
        : or(eq(operatorActs.subject, about), isId ? eq(operatorActs.accountId, about) : undefined),
    )
    .orderBy(desc(operatorActs.id))
    .limit(limit);
}

/** What was said of an account goes with it; that something was done stays. */
export async function forgetReasons(orm: Orm, accountId: string): Promise<void> {
  await orm.update(operatorActs).set({ reason: '' }).where(eq(operatorActs.accountId, accountId));
}

/** Drops acts of more than five years ago. */
export async function dropOldActs(orm: Orm, now: Date): Promise<void> {
  const oldest = new Date(now);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - KEPT_YEARS);
  await orm.delete(operatorActs).where(lt(operatorActs.at, oldest));
}
