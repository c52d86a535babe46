import { LOCALES, type Locale } from '#contract/locales';
import type { Statistics } from '#contract/statistics';
import { getsMail, queueInsightMail } from '#host/accounts/insight-mail';
import type { AccountRow } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { fillText } from '#host/invoices/wording';
import { INSIGHT_PHRASES, STATISTICS_TEXTS } from '#host/mail/texts';
import { readStatistics } from '#host/statistics/statistics';
import { periodBefore, zoneOf } from './occasions';
import { daysText, nameOf, numberText, shareText, visitsText } from './wording';

interface FiguresOf {
  every: 'week' | 'month';
  /** The week or month before it. */
  date: string;
}

/**
 * Reads the figures of a week or month; returns what queues the mail about them. There is none without codes, nor after
 * a second period without a visit.
 */
export async function mailFigures(
  deps: Pick<Deps, 'db' | 'settings'>,
  account: AccountRow,
  { every, date }: FiguresOf,
  now: Date,
): Promise<((orm: Orm) => Promise<void>) | null> {
  const { orm } = deps.db;
  if (account.codeCount === 0 || !(await getsMail(orm, account, 'figures', now))) return null;
  const { from, to } = periodBefore(every, date);
  const filter = { timeZone: zoneOf(account), from, to, code: null, tag: null };
  const statistics = await readStatistics(orm, account.id, filter, { now, comparesBefore: true });
  const total = statistics.figures.visits.value ?? 0;
  if (total === 0 && (statistics.before?.visits.value ?? 0) === 0) return null;
  const { locale } = account;
  const query = new URLSearchParams({ period: 'range', from, to });
  const values = {
    period: daysText({ from, to }, locale),
    visits: visitsText(total, locale),
    facts: factsOf(statistics, total, locale).join('\n'),
    codes: rankingOf(statistics, locale),
    note: total === 0 ? INSIGHT_PHRASES[locale].no_visits : '',
    actionUrl: `${deps.settings.publicUrl}/user/analytics?${query}`,
  };
  const mail = { kind: 'figures', template: 'insight-mail.figures', values } as const;
  const dedupeKey = `figures:${account.id}:${from}:${to}`;
  return (transaction) => queueInsightMail(transaction, deps, account, { ...mail, dedupeKey }, now);
}

/** What stands out, in the sentences of the page of statistics. */
function factsOf(statistics: Statistics, total: number, locale: Locale): string[] {
  const { summary, findings } = STATISTICS_TEXTS[locale];
  const { before, mostActive, countries, hours } = statistics;
  const visits = visitsText(total, locale);
  const sentences = [
    before
      ? fillText(summary.changed, {
          visits,
          change: changeText(statistics, locale),
          days: daysText(before, locale),
        })
      : fillText(summary.visits, { visits }),
  ];
  const share = (part: number, whole: number) => shareText(Math.min(1, part / whole), locale);
  const [code] = mostActive.codes;
  if (code) sentences.push(fillText(summary.code, { name: nameOf(code), share: share(code.visits, total) }));
  const country = countries.values.find(({ value }) => value !== '');
  if (country) {
    const all = countries.values.reduce((sum, { visits }) => sum + visits, 0);
    const name = new Intl.DisplayNames(LOCALES[locale].tag, { type: 'region' }).of(country.value);
    sentences.push(
      fillText(summary.country, { name: name ?? country.value, share: share(country.visits, all) }),
    );
  }
  if (total > 0) {
    const peak = hours.visits.indexOf(Math.max(...hours.visits));
    const [from, to] = [peak, (peak + 1) % 24].map((hour) => hourText(hour, locale));
    const values = { from: from ?? '', to: to ?? '', share: share(hours.visits[peak] ?? 0, total) };
    sentences.push(fillText(findings.hours, values));
  }
  return sentences;
}

function changeText({ before, figures }: Statistics, locale: Locale): string {
  const { change } = STATISTICS_TEXTS[locale];
  const { value: earlier = 0, isChance = false } = before?.visits ?? {};
  const now = figures.visits.value ?? 0;
  const values = { before: numberText(earlier, locale) };
  if (now === earlier) return fillText(change.same, values);
  if (isChance) return fillText(change.chance, values);
  if (earlier === 0) return change.none;
  const share = shareText(Math.abs(now - earlier) / earlier, locale);
  return fillText(now > earlier ? change.more : change.fewer, { ...values, share });
}

function hourText(hour: number, locale: Locale): string {
  const format = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[locale].tag, format).format(Date.UTC(2000, 0, 1, hour));
}

/** The most visited codes, one in a line; empty if none was visited. */
function rankingOf({ mostActive }: Statistics, locale: Locale): string {
  return mostActive.codes
    .map((code, place) => `${place + 1}. ${nameOf(code)} – ${visitsText(code.visits, locale)}`)
    .join('\n');
}
