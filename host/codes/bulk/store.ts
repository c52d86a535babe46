import { randomUUID } from 'node:crypto';
import { and, asc, desc, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { BulkAct, Job, JobProblem, Retarget } from '#contract/jobs';
import { DAY_MS } from '#contract/time';
import { lockOwner } from '#host/codes/code/store';
import { hasTag } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import {
  codeImportDuplicates,
  codeImportParts,
  codeImportProblems,
  codeImports,
  codeJobProblems,
  codeJobs,
} from '#host/db/jobs.tables';
import { readRows } from '#host/db/orm';
import type { Caller, CallerTag } from '#host/http/caller';
import { ApiError } from '#host/http/errors';

export type JobRow = typeof codeJobs.$inferSelect;
export type NewJob = Pick<
  JobRow,
  'kind' | 'act' | 'tag' | 'style' | 'logo' | 'importId' | 'key' | 'numbers' | 'total' | 'withinTag'
> & {
  retarget?: Retarget | null;
  /** Codes that are already in the requested state. */
  succeeded?: number;
  missing?: Missing[];
  /** The required number of codes. */
  expected?: number | undefined;
};
/** A requested code that the account does not have. */
export interface Missing {
  codeId: string;
  reason: 'code_deleted' | 'not_found';
}
export interface Problem {
  position: number;
  codeId: string | null;
  reason: string;
}

/** Unfinished jobs that an account may have at once. */
const RUNNING_JOBS = 5;
const KEPT_MS = 30 * DAY_MS;
/** How long a file waits for its owner to start the import. */
const IMPORT_MS = DAY_MS;

/**
 * Starts a job; a used key returns its first job. Throws `rate_limited` if too many are running, `count_differs` if more
 * or fewer codes match than expected, and `unauthenticated` if the account was erased in the meantime.
 */
export async function insertJob(
  orm: Orm,
  accountId: string,
  { missing = [], expected, ...job }: NewJob,
  now: Date,
): Promise<JobRow> {
  return orm.transaction(async (transaction) => {
    if (!(await lockOwner(transaction, accountId))) throw new ApiError('unauthenticated');
    const earlier = job.key && (await findJobByKey(transaction, accountId, job.key));
    if (earlier) return earlier;
    // The preview of new addresses counts those that change, not codes that are gone.
    const counted = job.retarget ? job.numbers.length : job.total;
    if (expected !== undefined && expected !== counted)
      throw new ApiError('count_differs', { fields: { expected: [`count_differs:${counted}`] } });
    const isRunning = and(eq(codeJobs.accountId, accountId), eq(codeJobs.status, 'running'));
    if ((await transaction.$count(codeJobs, isRunning)) >= RUNNING_JOBS)
      throw new ApiError('rate_limited', { retryAfterSeconds: 10 });
    const isDone = job.kind === 'bulk' && job.numbers.length === 0;
    const [made] = await transaction
      .insert(codeJobs)
      .values({
        ...job,
        id: randomUUID(),
        accountId,
        failed: missing.length,
        status: isDone ? 'done' : 'running',
        createdAt: now,
        dueAt: now,
        endedAt: isDone ? now : null,
      })
      .returning();
    if (!made) throw new Error('a job was not written');
    const problems = missing.map((one, index) => ({ position: job.numbers.length + index, ...one }));
    await insertProblems(transaction, made.id, problems);
    return made;
  });
}

async function findJobByKey(orm: Orm, accountId: string, key: string): Promise<JobRow | null> {
  const [job] = await orm
    .select()
    .from(codeJobs)
    .where(and(eq(codeJobs.accountId, accountId), eq(codeJobs.key, key)));
  return job ?? null;
}

/** The job that imports this file, finished or not; null if there is none yet. */
export async function findJobOfImport(orm: Orm, accountId: string, importId: string): Promise<JobRow | null> {
  return findJobByKey(orm, accountId, `import:${importId}`);
}

export async function findJob(orm: Orm, accountId: string, id: string): Promise<JobRow> {
  const [job] = await orm
    .select()
    .from(codeJobs)
    .where(and(eq(codeJobs.id, id), eq(codeJobs.accountId, accountId)));
  if (!job) throw new ApiError('not_found');
  return job;
}

/** The newest jobs, or those before one; of those of keys with a tag, or of all. */
export async function listJobs(
  orm: Orm,
  { accountId, tag }: Pick<Caller, 'accountId' | 'tag'>,
  { limit, before }: { limit: number; before?: Pick<JobRow, 'createdAt' | 'id'> | undefined },
): Promise<JobRow[]> {
  const isEarlier =
    before &&
    sql`(${codeJobs.createdAt}, ${codeJobs.id}) < (${before.createdAt.toISOString()}::timestamptz, ${before.id}::uuid)`;
  return orm
    .select()
    .from(codeJobs)
    .where(
      and(eq(codeJobs.accountId, accountId), tag ? eq(codeJobs.withinTag, tag.label) : undefined, isEarlier),
    )
    .orderBy(desc(codeJobs.createdAt), desc(codeJobs.id))
    .limit(limit);
}

/** Stops a job early; null if it has ended already. Waits for the batch in progress. */
export async function stopJob(orm: Orm, id: string, now: Date): Promise<JobRow | null> {
  const [stopped] = await orm
    .update(codeJobs)
    .set({ status: 'stopped', endedAt: now })
    .where(and(eq(codeJobs.id, id), eq(codeJobs.status, 'running')))
    .returning();
  return stopped ?? null;
}

/**
 * Locks the due job that has waited longest; null if there is none, or if another host is working on it. The given job
 * is waited for instead, because its owner is too; null if it has ended by then. Its account is locked first, as
 * everywhere.
 */
export async function lockDueJob(orm: Orm, now: Date, id?: string): Promise<JobRow | null> {
  const wanted: SQL = id ? sql`job.id = ${id}` : sql`job.due_at <= ${now.toISOString()}`;
  const ifLocked = sql.raw(id ? '' : 'skip locked');
  const [due] = await readRows<{ id: string }>(
    orm,
    sql`select job.id from code_jobs job join accounts on accounts.id = job.account_id
    where job.status = 'running' and accounts.deleted_at is null and ${wanted}
    order by job.due_at limit 1 for no key update of accounts ${ifLocked}`,
  );
  if (!due) return null;
  const [job] = await orm
    .select()
    .from(codeJobs)
    .where(and(eq(codeJobs.id, due.id), eq(codeJobs.status, 'running')))
    .for('update');
  return job ?? null;
}

/** Records the result of a batch, in the same transaction. */
export async function advanceJob(
  orm: Orm,
  job: JobRow,
  batch: { position: number; succeeded: number; problems: Problem[]; isLast: boolean },
  now: Date,
): Promise<JobRow> {
  await insertProblems(orm, job.id, batch.problems);
  const changed = {
    position: batch.position,
    succeeded: job.succeeded + batch.succeeded,
    failed: job.failed + batch.problems.length,
    dueAt: now,
    ...(batch.isLast && { status: 'done' as const, endedAt: now }),
  };
  await orm.update(codeJobs).set(changed).where(eq(codeJobs.id, job.id));
  return { ...job, ...changed };
}

/** Postpones a job whose batch failed, so that others get their turn. */
export async function postponeJob(orm: Orm, id: string, dueAt: Date): Promise<void> {
  await orm.update(codeJobs).set({ dueAt }).where(eq(codeJobs.id, id));
}

async function insertProblems(orm: Orm, jobId: string, problems: Problem[]): Promise<void> {
  if (problems.length > 0)
    await orm.insert(codeJobProblems).values(problems.map((problem) => ({ jobId, ...problem })));
}

export async function listProblems(
  orm: Orm,
  { id, kind }: JobRow,
  { page, limit }: { page: number; limit: number },
  within: CallerTag | null,
): Promise<JobProblem[]> {
  const rows = await orm
    .select({
      problem: codeJobProblems,
      code: { type: codes.type, name: codes.name, content: codes.content },
    })
    .from(codeJobProblems)
    .leftJoin(
      codes,
      and(
        eq(codes.id, codeJobProblems.codeId),
        isNull(codes.deletedAt),
        hasTag(within),
        eq(codes.accountId, sql`(select account_id from code_jobs where id = ${id})`),
      ),
    )
    .where(eq(codeJobProblems.jobId, id))
    .orderBy(asc(codeJobProblems.position))
    .limit(limit)
    .offset((page - 1) * limit);
  return rows.map(({ problem: { codeId, position, reason }, code }) => ({
    codeId,
    code,
    row: kind === 'import' ? position : null,
    reason,
  }));
}

/**
 * The numbers of these codes, as far as the account has them, newest first, and the outcome of the others. For a
 * deletion, codes that are already deleted are not missing.
 */
export async function selectNamed(
  orm: Orm,
  accountId: string,
  ids: readonly string[],
  act: BulkAct,
  within: CallerTag | null,
): Promise<{ numbers: number[]; missing: Missing[]; deleted: number }> {
  const found = await orm
    .select({ id: codes.id, number: codes.number, deletedAt: codes.deletedAt })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), inArray(codes.id, [...ids]), hasTag(within)))
    .orderBy(desc(codes.number));
  const known = new Map(found.map((code) => [code.id, code]));
  const numbers = found.flatMap(({ number, deletedAt }) => (deletedAt ? [] : [number]));
  const missing = [...new Set(ids)].flatMap((codeId): Missing[] => {
    const code = known.get(codeId);
    if (code && !code.deletedAt) return [];
    return [{ codeId, reason: code ? 'code_deleted' : 'not_found' }];
  });
  const problems = missing.filter(({ reason }) => !(act === 'delete' && reason === 'code_deleted'));
  return { numbers, missing: problems, deleted: missing.length - problems.length };
}

/** The codes with these numbers, in their order, deleted ones included. */
export async function findByNumbers(orm: Orm, accountId: string, numbers: number[]) {
  return orm
    .select({
      id: codes.id,
      number: codes.number,
      type: codes.type,
      tagIds: codes.tagIds,
      deletedAt: codes.deletedAt,
    })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), inArray(codes.number, numbers)))
    .orderBy(desc(codes.number));
}

/** Deletes the jobs and files of an account. */
export async function eraseJobs(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(codeJobs).where(eq(codeJobs.accountId, accountId));
  const files = orm
    .select({ id: codeImports.id })
    .from(codeImports)
    .where(eq(codeImports.accountId, accountId));
  await orm.delete(codeImportParts).where(inArray(codeImportParts.importId, files));
  await orm.delete(codeImportDuplicates).where(inArray(codeImportDuplicates.importId, files));
  await orm.delete(codeImportProblems).where(inArray(codeImportProblems.importId, files));
  await orm.delete(codeImports).where(eq(codeImports.accountId, accountId));
}

/** Drops jobs that ended long ago, and files that were never imported. */
export async function dropOldCodeJobs(orm: Orm, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS);
  await orm.delete(codeJobs).where(lt(codeJobs.endedAt, before));
  const waiting = new Date(now.getTime() - IMPORT_MS);
  await orm
    .delete(codeImports)
    .where(
      and(
        lt(codeImports.createdAt, waiting),
        sql`not exists (select 1 from code_jobs where import_id = ${codeImports.id})`,
      ),
    );
}

export function presentJob(job: JobRow): Job {
  const { id, kind, act, tag, importId, status, total, succeeded, failed } = job;
  const [createdAt, endedAt] = [job.createdAt.toISOString(), job.endedAt?.toISOString() ?? null];
  return { id, kind, act, tag, importId, status, total, succeeded, failed, createdAt, endedAt };
}
