import { and, desc, eq, inArray, isNull, lt, or } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { operatorActs } from '#host/db/operator.tables';

type AuditEntry = typeof operatorActs.$inferSelect;

const RETENTION_YEARS = 5;

/** Call it in the transaction of the change. */
export async function addAuditEntry(orm: Orm, entry: Omit<AuditEntry, 'id'>): Promise<void> {
  await orm.insert(operatorActs).values(entry);
}

/** Newest first; all of them, or those about a subject or an account. */
export async function listAuditEntries(orm: Orm, topic: string | null, limit: number): Promise<AuditEntry[]> {
  const isId = topic !== null && /^[0-9a-f-]{36}$/.test(topic);
  return orm
    .select()
    .from(operatorActs)
    .where(
      topic === null
        ? undefined
        : or(eq(operatorActs.subject, topic), isId ? eq(operatorActs.accountId, topic) : undefined),
    )
    .orderBy(desc(operatorActs.id))
    .limit(limit);
}

/** The latest reasons for blocks, by id of the code or by host. `accountIds` are the owners of the codes. */
export async function readBlockReasons(
  orm: Orm,
  { accountIds, subjects }: { accountIds: readonly string[]; subjects: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { act, subject, accountId, reason, id } = operatorActs;
  const rows = await orm
    .selectDistinctOn([subject], { subject, reason })
    .from(operatorActs)
    .where(
      and(
        inArray(act, ['block-code', 'block-target']),
        inArray(subject, [...new Set(subjects)]),
        or(isNull(accountId), inArray(accountId, [...new Set(accountIds)])),
      ),
    )
    .orderBy(subject, desc(id));
  return new Map(rows.map((row) => [row.subject, row.reason]));
}

/** When an account is erased its entries stay, but without the reasons, which may say something about it. */
export async function clearAuditReasons(orm: Orm, accountId: string): Promise<void> {
  await orm.update(operatorActs).set({ reason: '' }).where(eq(operatorActs.accountId, accountId));
}

export async function dropOldAuditEntries(orm: Orm, now: Date): Promise<void> {
  const oldest = new Date(now);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - RETENTION_YEARS);
  await orm.delete(operatorActs).where(lt(operatorActs.at, oldest));
}
