import { eq } from 'drizzle-orm';
import type { MailSettings } from '#contract/mail-settings';
import { MINUTE_MS } from '#contract/time';
import { isMailOn, lockMailSettings } from '#host/accounts/mail-settings';
import { type AccountRow, findAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { jobs } from '#host/db/jobs.tables';
import type { Deps } from '#host/http/deps';
import { expediteJobs, type Job, JobQueue, postponeJob } from '#host/jobs/queue';
import { mailFigures } from './figures-mail';
import { mailFirstScans } from './first-scan-mail';
import { type Every, nextOccasion, plannedOccasion, zoneOf } from './occasions';
import { mailUnusual } from './unusual-mail';
import { mailFailures } from './watch/mail';

/** How often first visits are looked for; after a mail, the next one comes an hour later at the earliest. */
const FIRST_SCAN_MS = 15 * MINUTE_MS;
const FIRST_SCAN_PAUSE_MS = 60 * MINUTE_MS;

type Kind = 'figures' | 'firstScan' | 'unusual';

const JOB_KINDS = { figures: 'figures_mail', firstScan: 'first_scan_mail', unusual: 'unusual_mail' } as const;

/**
 * Sends the mails of insight that are due. An account has one job for each kind that is on; each run queues its mail and
 * plans the next run in one transaction, so that no mail is sent twice and none is lost.
 */
export async function runInsightMails(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  const queue = new JobQueue(deps, {
    destination_mail: (job) => mailFailures(deps, job, now),
    figures_mail: (job) =>
      run(deps, job, 'figures', (account, settings) =>
        settings.figures === 'off' ? null : onOccasion(deps, job, { account, every: settings.figures, now }),
      ),
    unusual_mail: (job) =>
      run(deps, job, 'unusual', (account) => onOccasion(deps, job, { account, every: 'day', now })),
    first_scan_mail: (job) =>
      run(deps, job, 'firstScan', (account) =>
        deps.db.orm.transaction(async (transaction) => {
          const isTold = await mailFirstScans(transaction, deps, account, now);
          await postponeJob(
            transaction,
            job,
            new Date(now.getTime() + (isTold ? FIRST_SCAN_PAUSE_MS : FIRST_SCAN_MS)),
          );
        }),
      ),
  });
  await queue.runDue(now, stopping);
}

/** Plans the mails that an account gets from now on. What is already overdue stays so. */
export async function scheduleInsightMails(
  orm: Orm,
  account: AccountRow,
  settings: MailSettings,
  now: Date,
): Promise<void> {
  const next = (every: Every) => nextOccasion(every, zoneOf(account), now).at;
  if (settings.figures !== 'off') await plan(orm, account.id, 'figures', next(settings.figures));
  if (settings.unusual) await plan(orm, account.id, 'unusual', next('day'));
  if (settings.firstScan) await plan(orm, account.id, 'firstScan', new Date(now.getTime() + FIRST_SCAN_MS));
}

async function plan(orm: Orm, accountId: string, kind: Kind, dueAt: Date): Promise<void> {
  const job = {
    kind: JOB_KINDS[kind],
    subject: accountId,
    dedupeKey: `${JOB_KINDS[kind]}:${accountId}`,
    dueAt,
  };
  await expediteJobs(orm, [job]);
}

/** Runs a job of an account that still wants these mails, and drops it otherwise. */
async function run(
  { db }: Deps,
  job: Job,
  kind: Kind,
  work: (account: AccountRow, settings: MailSettings) => Promise<void> | null,
): Promise<void> {
  const account = await findAccount(db.orm, job.subject);
  const settings = await db.orm.transaction(async (transaction) => {
    // Whoever switches these mails on at the same moment finds the job, or plans another.
    const current = await lockMailSettings(transaction, job.subject);
    if (account && isMailOn(current, kind)) return current;
    await transaction.delete(jobs).where(eq(jobs.id, job.id));
    return null;
  });
  if (account && settings) await work(account, settings);
}

interface Planned {
  account: AccountRow;
  every: Every;
  now: Date;
}

/** Queues the mail of a morning and plans the next one; if it has not come yet in the account's zone, waits for it. */
async function onOccasion(deps: Deps, job: Job, { account, every, now }: Planned): Promise<void> {
  const { orm } = deps.db;
  const zone = zoneOf(account);
  const { at, date } = plannedOccasion(every, zone, job.dueAt);
  if (at > now) return postponeJob(orm, job, at);
  const queue =
    every === 'day'
      ? await mailUnusual(deps, account, date, now)
      : await mailFigures(deps, account, { every, date }, now);
  await orm.transaction(async (transaction) => {
    await queue?.(transaction);
    await postponeJob(transaction, job, nextOccasion(every, zone, at).at);
  });
}
