import { sql } from 'drizzle-orm';
import type { CodeType } from '#contract/codes';
import { getsMail, queueInsightMail } from '#host/accounts/insight-mail';
import type { AccountRow } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { Deps } from '#host/http/deps';
import { fillText } from '#host/invoices/wording';
import { INSIGHT_PHRASES } from '#host/mail/texts';
import { readVisitsOf } from '#host/statistics/figures';
import { type Period, readPeriod } from '#host/statistics/period';
import { Tally } from '#host/statistics/tally';
import { addDays } from '#host/statistics/time-zone';
import { addCodeHour, rangeOf } from '#host/statistics/visits';
import { zoneOf } from './occasions';
import { findUnusual, HISTORY_DAYS, LEAST_VISITS, type Unusual } from './unusual';
import { dayText, listOf, nameOf, numberText, titleOf, visitsText } from './wording';

/** Codes read at once, so that other work gets a turn in between. */
const BATCH = 200;

interface CandidateCode {
  id: string;
  number: number;
  type: CodeType;
  name: string | null;
  content: string;
}

type UnusualCode = CandidateCode & Unusual;

/** Finds the codes whose visits were unusual on the day before a date; returns what queues the mail about them. */
export async function mailUnusual(
  deps: Pick<Deps, 'db' | 'settings'>,
  account: AccountRow,
  date: string,
  now: Date,
): Promise<((orm: Orm) => Promise<void>) | null> {
  const { orm } = deps.db;
  if (!(await getsMail(orm, account, 'unusual', now))) return null;
  const day = addDays(date, -1);
  const timeZone = zoneOf(account);
  const found = await findUnusualCodes(orm, account.id, { timeZone, day }, now);
  const [first] = found;
  if (!first) return null;
  const { locale } = account;
  const query = new URLSearchParams({ period: 'range', from: addDays(day, -27), to: day });
  if (found.length === 1) query.set('code', first.id);
  const named = found.map((code) => ({ ...code, name: nameOf(code) }));
  const lines = named.map(({ name, visits, expected }) =>
    fillText(INSIGHT_PHRASES[locale].unusual, {
      name,
      visits: visitsText(visits, locale),
      expected: numberText(expected, locale),
    }),
  );
  const values = {
    title: titleOf('unusual', named, locale),
    day: dayText(day, locale),
    codes: listOf(lines, locale),
    actionUrl: `${deps.settings.publicUrl}/user/analytics?${query}`,
  };
  const mail = { kind: 'unusual', template: 'insight-mail.unusual', values } as const;
  const dedupeKey = `unusual:${account.id}:${day}`;
  return (transaction) => queueInsightMail(transaction, deps, account, { ...mail, dedupeKey }, now);
}

/** Those that differ most first. */
async function findUnusualCodes(
  orm: Orm,
  accountId: string,
  { timeZone, day }: { timeZone: string; day: string },
  now: Date,
): Promise<UnusualCode[]> {
  const from = addDays(day, -HISTORY_DAYS);
  const period = readPeriod({ timeZone, from, to: day, code: null, tag: null }, now);
  const found: UnusualCode[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const codes: CandidateCode[] = await readCandidates(orm, accountId, period, after);
    const counts = await countDays(orm, codes, period);
    for (const code of codes) {
      const unusual = findUnusual(counts.get(code.id) ?? []);
      if (unusual) found.push({ ...code, ...unusual });
    }
    after = codes.at(BATCH - 1)?.number;
  }
  const differenceOf = ({ visits, expected }: Unusual) => Math.abs(visits - expected);
  return found.sort((a, b) => differenceOf(b) - differenceOf(a));
}

/** Codes that existed before the period, and were visited in it, often enough in all. */
async function readCandidates(
  orm: Orm,
  accountId: string,
  { starts }: Period,
  after: number,
): Promise<CandidateCode[]> {
  const begin = new Date(starts[0] ?? 0);
  return readRows<CandidateCode>(
    orm,
    sql`select id, number, type, name, content from codes join code_totals t on t.code_id = id
    where codes.account_id = ${accountId} and number > ${after} and deleted_at is null and is_counted
      and created_at < ${begin} and t.scans + t.clicks >= ${LEAST_VISITS} and t.last_at >= ${begin}
    order by number limit ${BATCH}`,
  );
}

/** Visits by people of each of these codes by day, in the calendar of the period. */
async function countDays(orm: Orm, codes: CandidateCode[], period: Period): Promise<Map<string, number[]>> {
  const tallies = new Map(codes.map(({ id }) => [id, new Tally(period)]));
  for (const { id, day, figures, hours } of await readVisitsOf(orm, [...tallies.keys()], rangeOf(period))) {
    const tally = tallies.get(id);
    if (tally && figures) tally.addFolded(day, { ...(figures.hours && { hours: figures.hours }) });
    for (const hour of hours) if (tally) addCodeHour(tally, hour);
  }
  return new Map([...tallies].map(([id, { days }]) => [id, days.map(({ scans, clicks }) => scans + clicks)]));
}
