import { setTimeout as delay } from 'node:timers/promises';
import { recordActivity } from '#host/accounts/activities';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { refusalOf } from '#host/http/errors';
import { actOnCode } from './bulk-acts';
import { importPart } from './imports.run';
import { advanceJob, findByNumbers, type JobRow, lockDueJob, type Problem, postponeJob } from './jobs.store';

/** Codes done in one transaction: on the embedded database everything else waits for it. */
const BATCH = 20;
const RETRY_MS = 30_000;
/** Pause after a batch, as a multiple of its duration: visitors come first. */
const REST = { bulk: 1, import: 10 };

type JobDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'settings' | 'log'>;

/** Does the jobs that are due, batch by batch in turns, until none is left or the host stops. */
export async function runDueJobs(deps: JobDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const started = performance.now();
    const job = await runBatch(deps);
    if (!job) return;
    await delay((performance.now() - started) * REST[job.kind]);
  }
}

/**
 * Does one batch of a job that is due, or of the given one, and moves its position forward, all in one transaction.
 * Returns the job, or null if none is due or another host is working on it.
 */
export async function runBatch(deps: JobDeps, id?: string): Promise<JobRow | null> {
  const { db, clock, log } = deps;
  let locked: JobRow | null = null;
  try {
    return await db.orm.transaction(async (transaction) => {
      locked = await lockDueJob(transaction, clock.now(), id);
      return locked && (await doBatch(deps, transaction, locked));
    });
  } catch (error) {
    const job: JobRow | null = locked;
    if (!job) throw error;
    log.error({ err: error, job: (job as JobRow).id }, 'a batch of a job failed, will be retried');
    await postponeJob(db.orm, (job as JobRow).id, new Date(clock.now().getTime() + RETRY_MS));
    return null;
  }
}

async function doBatch(deps: JobDeps, orm: Orm, job: JobRow): Promise<JobRow> {
  const now = deps.clock.now();
  const batch =
    job.kind === 'import' ? await importPart(orm, deps, job, now) : await doBulkBatch(orm, job, now);
  const after = await advanceJob(orm, job, batch, now);
  if (after.status === 'done') await recordEnd(orm, after, now);
  return after;
}

async function doBulkBatch(orm: Orm, job: JobRow, now: Date) {
  const numbers = job.numbers.slice(job.position, job.position + BATCH);
  const found = await findByNumbers(orm, job.accountId, numbers);
  const problems: Problem[] = [];
  for (const code of found) {
    const reason = code.deletedAt ? 'code_deleted' : await refusalOf(() => actOnCode(orm, job, code, now));
    const position = job.position + numbers.indexOf(code.number);
    // A code that was to be deleted and is already gone is no problem.
    if (reason && !(job.act === 'delete' && reason === 'code_deleted'))
      problems.push({ position, codeId: code.id, reason });
  }
  const position = job.position + numbers.length;
  const succeeded = numbers.length - problems.length;
  return { position, succeeded, problems, isLast: position >= job.numbers.length };
}

/** Records a finished or stopped job once in the account's activities. */
export async function recordEnd(orm: Orm, job: JobRow, now: Date): Promise<void> {
  if (job.succeeded === 0) return;
  const type = job.act === 'delete' ? 'qrcode_delete' : 'qrcode_update';
  await recordActivity(orm, job.accountId, job.kind === 'import' ? 'qrcode_create' : type, now, {
    codes: job.succeeded,
  });
}
