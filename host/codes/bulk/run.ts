import { setTimeout as delay } from 'node:timers/promises';
import { type CodeType, refusalsOf } from '#contract/contents/contents';
import { foldLabel } from '#contract/labels';
import { StoredStyle } from '#contract/styles';
import { recordActivity } from '#host/accounts/activities';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { changeCode, requireCountable, takeOver, type WantedValues } from '#host/codes/code/change';
import { createCodes } from '#host/codes/code/create';
import { deleteCode } from '#host/codes/code/deletion';
import { findTag, withTag } from '#host/codes/code/tags';
import type { LinkRules } from '#host/codes/contents/contents';
import type { ImportedRow } from '#host/codes/import/report';
import { importKey, readPart } from '#host/codes/import/store';
import { readLogoChoice } from '#host/codes/logos/choice';
import { storedStyle } from '#host/codes/looks/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField, refusalOf } from '#host/http/errors';
import { lockContent, retargetCode } from './retarget';
import { advanceJob, findByNumbers, type JobRow, lockDueJob, type Problem, postponeJob } from './store';

/** Codes done in one transaction, which keeps the counters of the account locked. */
const BATCH = 20;
const RETRY_MS = 30_000;
/** Shortest pause after a batch, as a multiple of its duration: visitors come first. */
const REST = { bulk: 1, import: 4 };
/** Shortest time from one batch to the next: an import makes some 330 codes a second, on a fast machine as well. */
const INTERVAL_MS = { bulk: 0, import: 300 };

type JobDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'settings' | 'log'>;

/** Does the jobs that are due, batch by batch in turns, until none is left or the host stops. */
export async function runDueJobs(deps: JobDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const started = performance.now();
    const job = await runBatch(deps);
    if (!job) return;
    const ms = performance.now() - started;
    await delay(Math.max(ms * REST[job.kind], INTERVAL_MS[job.kind] - ms));
  }
}

/**
 * Does one batch of a job that is due, or of the given one, and moves its position forward, all in one transaction.
 * Returns the job, or null if none is due or another host is working on it.
 */
export async function runBatch(deps: JobDeps, id?: string): Promise<JobRow | null> {
  const { db, clock, log } = deps;
  let locked: string | undefined;
  try {
    return await db.orm.transaction(async (transaction) => {
      const job = await lockDueJob(transaction, clock.now(), id);
      locked = job?.id;
      return job && (await doBatch(deps, transaction, job));
    });
  } catch (error) {
    if (!locked) throw error;
    log.error({ err: error, job: locked }, 'a batch of a job failed, will be retried');
    await postponeJob(db.orm, locked, new Date(clock.now().getTime() + RETRY_MS));
    return null;
  }
}

async function doBatch(deps: JobDeps, orm: Orm, job: JobRow): Promise<JobRow> {
  const now = deps.clock.now();
  const batch =
    job.kind === 'import' ? await importPart(orm, deps, job, now) : await doBulkBatch(orm, deps, job, now);
  const after = await advanceJob(orm, job, batch, now);
  if (after.status === 'done') await recordEnd(orm, after, now);
  return after;
}

async function doBulkBatch(orm: Orm, { settings }: JobDeps, job: JobRow, now: Date) {
  const rules = job.act === 'retarget' ? await readLinkRules(orm, settings) : null;
  const numbers = job.numbers.slice(job.position, job.position + BATCH);
  const found = await findByNumbers(orm, job.accountId, numbers);
  const { withinTag } = job;
  const within = withinTag === null ? null : ((await findTag(orm, job.accountId, withinTag))?.id ?? 0);
  const problems: Problem[] = [];
  for (const code of found) {
    const isOutside = within !== null && !code.tagIds.includes(within);
    const reason = code.deletedAt
      ? 'code_deleted'
      : isOutside
        ? 'not_found'
        : await refusalOf(() => actOnCode(orm, job, code, { now, rules }));
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

/** Applies the act of a job to one code; throws if the code cannot take it. */
async function actOnCode(
  orm: Orm,
  { accountId, act, tag, style, logo, retarget }: JobRow,
  { id, type }: { id: string; type: CodeType },
  { now, rules }: { now: Date; rules: LinkRules | null },
): Promise<void> {
  if (act === 'delete') {
    await deleteCode(orm, accountId, id, now);
    return;
  }
  if (retarget && rules) {
    await takeOver(orm, { accountId, id }, now);
    const code = await lockContent(orm, id);
    const result = code && retargetCode(code, retarget, rules);
    if (result && 'values' in result) await changeCode(orm, { accountId, id }, result.values, now);
    else if (result && result.reason !== 'retarget_unchanged') throw invalidField('content', result.reason);
    return;
  }
  if (act === 'uncount') requireCountable(type);
  const refusals = refusalsOf(type);
  if (act === 'make_private' && refusals) throw invalidField('visibility', refusals.hide);
  await changeCode(orm, { accountId, id }, wantedOf({ act, tag: tag ?? '', style, logo }), now);
}

function wantedOf({
  act,
  tag,
  style,
  logo,
}: Pick<JobRow, 'act' | 'style' | 'logo'> & { tag: string }): WantedValues {
  switch (act) {
    case 'make_public':
      return { visibility: 'public' };
    case 'make_private':
      return { visibility: 'private' };
    case 'count':
      return { counted: true };
    case 'uncount':
      return { counted: false };
    case 'archive':
      return { archived: true };
    case 'unarchive':
      return { archived: false };
    case 'tag':
      return { tags: (before) => withTag(before, tag) };
    case 'untag':
      return { tags: (before) => before.filter((one) => foldLabel(one) !== foldLabel(tag)) };
    case 'style':
      // A style from a later version waits for a host that understands it.
      return { ...(style !== null && { style: StoredStyle.parse(style) }), ...(logo && { logo }) };
    default:
      throw new ApiError('internal');
  }
}

/** Turns one part of a file into codes. If the batch is refused, its rows are tried one by one. */
async function importPart(
  orm: Orm,
  deps: Pick<Deps, 'random'>,
  { accountId, importId, position, style: chosen, logo: choice, withinTag }: JobRow,
  now: Date,
) {
  const part = importId && (await readPart(orm, importId, position));
  if (!part) return { position, succeeded: 0, problems: [], isLast: true };
  // A style from a later version waits for a host that understands it.
  const style = storedStyle(chosen === null ? null : StoredStyle.parse(chosen));
  const { logoName: _name, ...logo } = await readLogoChoice(orm, accountId, choice ?? { kind: 'none' });
  const create = async (rows: ImportedRow[]) =>
    createCodes(
      orm,
      deps,
      accountId,
      rows.map((row) => {
        const design = designOf(row, importId);
        const tags = withinTag === null ? design.tags : withTag(design.tags, withinTag);
        return { ...design, tags, style, ...logo };
      }),
      { now, isRecorded: false },
    );
  const problems: Problem[] = [];
  try {
    if (part.rows.length > 0) await create(part.rows);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    for (const row of part.rows) {
      const reason = await refusalOf(() => create([row]));
      if (reason) problems.push({ position: row.row, codeId: null, reason });
    }
  }
  const succeeded = part.rows.length - problems.length;
  return { position: position + 1, succeeded, problems, isLast: part.isLast };
}

function designOf({ row, design }: ImportedRow, importId: string) {
  return { ...design, formKey: importKey(importId, row) };
}
