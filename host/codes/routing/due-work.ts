import { and, eq, isNull } from 'drizzle-orm';
import { contentLine } from '#contract/contents/contents';
import { LOCALES, type Locale } from '#contract/locales';
import { hasEnded } from '#contract/routing-decision';
import { findAccount } from '#host/accounts/store';
import { takeOver } from '#host/codes/code/change';
import { displayedContent } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codes, type StoredEnd } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import type { Deps } from '#host/http/deps';
import { dateTimeText } from '#host/invoices/wording';
import { type Job, JobQueue } from '#host/jobs/queue';
import { type NewMail, queueMail } from '#host/mail/outbox';
import { noticeAt, scheduleRouting } from './schedule';

type CodeRow = typeof codes.$inferSelect;

/** Does what is due: puts scheduled targets into codes, and tells owners about ends. */
export async function runDueRouting(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  const queue = new JobQueue(deps, { routing: (job, at) => doDue(deps, job, at) });
  await queue.runDue(now, stopping);
}

async function doDue({ db, settings }: Deps, { subject: id }: Job, now: Date): Promise<void> {
  await db.orm.transaction(async (transaction) => {
    const code = await lockCode(transaction, id);
    if (!code) return;
    await takeOver(transaction, code, now);
    const { end } = code.routing ?? {};
    if (end) await tellOwner(transaction, { code, end, publicUrl: settings.publicUrl, now });
    await scheduleRouting(transaction, code, now);
  });
}

/** Locked, so that its owner does not change meanwhile what is done. */
async function lockCode(orm: Orm, id: string): Promise<CodeRow | null> {
  const [code] = await orm
    .select()
    .from(codes)
    .where(and(eq(codes.id, id), isNull(codes.deletedAt)))
    .for('update');
  return code ?? null;
}

interface Told {
  code: CodeRow;
  end: StoredEnd;
  publicUrl: string;
  now: Date;
}

/** Each mail is sent once for an end; what is over is not announced any more. */
async function tellOwner(orm: Orm, { code, end, publicUrl, now }: Told): Promise<void> {
  const account = await findAccount(orm, code.accountId);
  const mail = account && (await mailAbout(orm, { code, end, now }, account));
  if (!mail) return;
  const { template, stage, values } = mail;
  const label = code.name ?? contentLine({ type: code.type, content: displayedContent(code) });
  const { email: to, locale } = account;
  const actionUrl = `${publicUrl}/user/qrcodes/${code.id}`;
  const dedupeKey = `code-end:${code.id}:${end.setAt}:${stage}`;
  await queueMail(
    orm,
    { to, locale, template, values: { code: label, actionUrl, ...values }, dedupeKey },
    now,
  );
}

type EndMail = Pick<NewMail, 'template' | 'values'> & { stage: 'soon' | 'ended' };

async function mailAbout(
  orm: Orm,
  { code, end, now }: Omit<Told, 'publicUrl'>,
  { locale, timeZone }: { locale: Locale; timeZone: string | null },
): Promise<EndMail | null> {
  const { at, visits, reachedAt, noticedAt, setAt } = end;
  const dateOf = (moment: string) => dateTimeText(new Date(moment), locale, timeZone ?? LOCALES[locale].zone);
  const count = (number: number) => number.toLocaleString(LOCALES[locale].tag);
  if (visits !== null && reachedAt !== null) {
    const values = { visits: count(visits), date: dateOf(reachedAt) };
    return { stage: 'ended', template: 'account-mail.code_ended_visits', values };
  }
  if (at !== null && hasEnded(end, now.getTime()))
    return { stage: 'ended', template: 'account-mail.code_ended', values: { date: dateOf(at) } };
  if (visits !== null && noticedAt !== null && noticedAt !== setAt) {
    const total = await readTotal(orm, code.id);
    const values = { visits: count(visits), total: count(total) };
    return { stage: 'soon', template: 'account-mail.code_ends_soon_visits', values };
  }
  const notice = noticeAt(end);
  if (at === null || notice === null || notice > now.getTime()) return null;
  return { stage: 'soon', template: 'account-mail.code_ends_soon', values: { date: dateOf(at) } };
}

async function readTotal(orm: Orm, codeId: string): Promise<number> {
  const [totals] = await orm.select().from(codeTotals).where(eq(codeTotals.codeId, codeId));
  return (totals?.scans ?? 0) + (totals?.clicks ?? 0);
}
