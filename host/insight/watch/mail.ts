import { and, countDistinct, eq, gte, min, sql } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import { hostnameOf } from '#contract/own-addresses';
import { HOUR_MS } from '#contract/time';
import { targetOf } from '#contract/web-addresses';
import { queueInsightMail } from '#host/accounts/insight-mail';
import { findAccount } from '#host/accounts/store';
import { addressesAt, isOfInterest, leadsTo } from '#host/codes/code/destination';
import { displayedTarget } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { destinations } from '#host/db/insight.tables';
import { jobs } from '#host/db/jobs.tables';
import type { Deps } from '#host/http/deps';
import { fillText } from '#host/invoices/wording';
import { expediteJobs, type Job } from '#host/jobs/queue';
import { INSIGHT_PHRASES } from '#host/mail/texts';
import { zoneOf } from '../occasions';
import { listOf, momentText, numberText } from '../wording';

/** Failures that become known to an account within this time come in one mail. */
const ROUND_MS = HOUR_MS;

/** Plans a mail to everybody whose codes lead to a destination that has just turned out to fail. */
export async function planMails(
  orm: Orm,
  destination: { key: string; address: string },
  now: Date,
): Promise<void> {
  const owners = await orm
    .selectDistinct({ accountId: codes.accountId })
    .from(codes)
    .where(and(leadsTo(destination, now), isOfInterest(now)))
    .orderBy(codes.accountId);
  if (owners.length === 0) return;
  const dueAt = new Date(now.getTime() + ROUND_MS);
  // A mail that is being sent is waited for: this failure may have come too late for it.
  await expediteJobs(
    orm,
    owners.map(({ accountId }) => ({
      kind: 'destination_mail',
      subject: accountId,
      dedupeKey: `destination_mail:${accountId}`,
      dueAt,
    })),
  );
}

/** Queues one mail about all failures that have become known to an account since the job was planned. */
export async function mailFailures(deps: Deps, job: Job, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    await transaction.delete(jobs).where(eq(jobs.id, job.id));
    const account = await findAccount(transaction, job.subject);
    if (!account) return;
    const since = new Date(job.dueAt.getTime() - ROUND_MS);
    const failing = await readFailing(transaction, { accountId: account.id, since, now });
    const [first] = failing;
    if (!first) return;
    const { locale } = account;
    const phrases = INSIGHT_PHRASES[locale];
    const { publicUrl } = deps.settings;
    const isOne = failing.length === 1;
    const values = {
      title: isOne
        ? fillText(phrases.destination_one, { host: siteOf(first.address) })
        : fillText(phrases.destination_several, { count: numberText(failing.length, locale) }),
      destinations: listOf(
        failing.map((one) => lineOf(one, locale, zoneOf(account))),
        locale,
      ),
      actionUrl:
        isOne && first.codes === 1 ? `${publicUrl}/user/qrcodes/${first.code}` : `${publicUrl}/user/qrcodes`,
    };
    const dedupeKey = `destinations:${account.id}:${job.dueAt.toISOString()}`;
    await queueInsightMail(
      transaction,
      deps,
      account,
      { kind: 'destinationFailing', template: 'insight-mail.destination_failing', values, dedupeKey },
      now,
    );
  });
}

type Failing = Awaited<ReturnType<typeof readFailing>>[number];

/** Destinations of an account that turned out to fail since then and still do, those of most codes first. */
async function readFailing(
  orm: Orm,
  { accountId, since, now }: { accountId: string; since: Date; now: Date },
) {
  const { address, problem, status, movedTo, failingSince } = destinations;
  return orm
    .select({
      address,
      problem,
      status,
      movedTo,
      failingSince,
      codes: countDistinct(codes.id),
      code: min(sql<string>`${codes.id}::text`),
    })
    .from(codes)
    .innerJoinLateral(sql`unnest(${addressesAt(now)}) as one(address)`, sql`true`)
    .innerJoin(
      destinations,
      and(sql`${destinations.key} = md5(one.address)`, sql`${destinations.address} = one.address`),
    )
    .where(and(gte(destinations.confirmedAt, since), eq(codes.accountId, accountId), isOfInterest(now)))
    .groupBy(destinations.key)
    .orderBy(sql`count(distinct ${codes.id}) desc`, destinations.key);
}

function lineOf(failing: Failing, locale: Locale, timeZone: string): string {
  const { address, problem, status, movedTo, failingSince } = failing;
  const phrases = INSIGHT_PHRASES[locale];
  return fillText(phrases.destination, {
    address: displayedTarget(address),
    count: numberText(failing.codes, locale),
    problem: fillText(phrases[`problem_${problem ?? 'unreachable'}`], {
      status: String(status ?? ''),
      site: movedTo ? siteOf(movedTo) : '',
    }),
    since: failingSince ? momentText(failingSince, locale, timeZone) : '',
  });
}

function siteOf(address: string): string {
  return hostnameOf(new URL(targetOf(address)));
}
