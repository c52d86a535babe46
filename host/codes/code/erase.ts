import { randomUUID } from 'node:crypto';
import { and, eq, gte, inArray, isNull, not, or, sql } from 'drizzle-orm';
import { LEADING_TYPES } from '#contract/contents/contents';
import { dropBlocks } from '#host/codes/blocks/store';
import { eraseJobs } from '#host/codes/bulk/store';
import { eraseDrafts } from '#host/codes/drafts/store';
import { dropLogos } from '#host/codes/logos/store';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import { jobs } from '#host/db/jobs.tables';
import { codeTotals } from '#host/db/visits.tables';
import { isNotClosed } from './destination';
import { CODE_CHANGED, EMPTIED } from './store';
import { dropTags } from './tags';

/**
 * Ids of an account's codes for links and apps that lead somewhere and were visited within the last year, or may have
 * been: of a code that is not counted nobody knows. Those that their owner has paused, or that have ended, lead nowhere
 * any more.
 */
export async function findVisitedLinks(orm: Orm, accountId: string, now: Date): Promise<string[]> {
  const yearAgo = new Date(now);
  yearAgo.setUTCFullYear(now.getUTCFullYear() - 1);
  const rows = await orm
    .select({ id: codes.id })
    .from(codes)
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id))
    .where(
      and(
        eq(codes.accountId, accountId),
        inArray(codes.type, LEADING_TYPES),
        eq(codes.visibility, 'public'),
        isNull(codes.deletedAt),
        isNull(codes.blockedAt),
        isNotClosed(now),
        or(gte(codeTotals.lastAt, yearAgo), not(codes.isCounted)),
      ),
    );
  return rows.map(({ id }) => id);
}

/**
 * Empties every code of an account. The rows stay, so that printed addresses report a deleted code and are never
 * reused; those of `leadingIds` keep the target that they have now and go on leading there, until the date of their end if
 * they have one. A number of visits does not end them, as their visits are not counted any more. Logos are deleted too,
 * and every node is notified. Call it in a transaction.
 */
export async function eraseCodes(
  orm: Orm,
  accountId: string,
  { now, leadingIds }: { now: Date; leadingIds: readonly string[] },
): Promise<void> {
  const own = orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
  // Counted, so that not a row comes back for each of perhaps 100,000 codes.
  await orm.execute(
    sql`select count(pg_notify(${CODE_CHANGED}, ${codes.slug})) from ${codes} where ${codes.accountId} = ${accountId} and ${codes.deletedAt} is null`,
  );
  const { content, routing, ...others } = EMPTIED;
  const onlyDate = JSON.stringify({ message: '', visits: null, noticedAt: null });
  const onlyEnd = sql`case when ${codes.routing} #>> '{end,at}' is not null
    then jsonb_set(${JSON.stringify(NO_ROUTING)}, '{end}', ${codes.routing}->'end' || ${onlyDate}::jsonb) end`;
  // Its moment may be over before the job that changes the target has run.
  const present = sql`case when (${codes.routing} #>> '{schedule,at}')::timestamptz <= ${now.toISOString()}::timestamptz
    then ${codes.routing} #>> '{schedule,target}' else ${codes.content} end`;
  const isLeading = sql`${codes.id} = any (${sql.param([...leadingIds])}::uuid[])`;
  await orm
    .update(codes)
    .set({ ...others, content: present, routing: onlyEnd, formKey: null, archivedAt: null, eraseAt: null })
    .where(eq(codes.accountId, accountId));
  await orm
    .update(codes)
    .set({
      content,
      routing,
      deletedAt: sql`coalesce(${codes.deletedAt}, ${now.toISOString()}::timestamptz)`,
    })
    .where(and(eq(codes.accountId, accountId), not(isLeading)));
  // Not earlier: a concurrent change writes its history before its row can be emptied.
  await orm.delete(codeChanges).where(inArray(codeChanges.codeId, own));
  await dropBlocks(orm, accountId);
  await dropTags(orm, accountId);
  await eraseJobs(orm, accountId);
  await orm
    .delete(jobs)
    .where(and(eq(jobs.kind, 'routing'), inArray(jobs.subject, sql`(select id::text from ${own} as own)`)));
  await eraseDrafts(orm, accountId);
  await dropLogos(orm, accountId);
}

/** Separates the codes that go on leading somewhere from the accounts that were erased: nothing says whose they were. */
export async function detachCodes(orm: Orm, erasedIds: readonly string[], now: Date): Promise<void> {
  const own = and(inArray(codes.accountId, [...erasedIds]), isNull(codes.deletedAt));
  const owners = await orm.selectDistinct({ id: codes.accountId }).from(codes).where(own);
  for (const { id } of owners) {
    const nobody = randomUUID();
    await orm.insert(accounts).values({ id: nobody, email: '', createdAt: now, deletedAt: now });
    await orm
      .update(codes)
      .set({ accountId: nobody })
      .where(and(eq(codes.accountId, id), isNull(codes.deletedAt)));
  }
}
