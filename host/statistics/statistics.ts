import type { CodeType } from '#contract/codes';
import type { Statistics } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { listTags } from '#host/codes/code/tags';
import { displayedContent, withDisplayedContent } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { readCampaigns } from './campaigns';
import { isChance } from './chance';
import { countPeriod, countTotals, type ResolvedFilter, readFilter, type StatisticsFilter } from './figures';
import type { PeopleDay } from './people';
import { hoursOf, lateMinutesOf, type Period, periodBefore } from './period';
import {
  ACTIVE_DAYS,
  type CodesOfType,
  countCodes,
  findFirstCreation,
  type SelectedCode,
} from './ranked-codes';
import type { Counts, Tally } from './tally';

const RANKED = 5;

interface Options {
  now: Date;
  countriesAsOf?: Date | null;
  behindMs?: number;
  /** Asks for `before`. */
  comparesBefore?: boolean;
}

/** Every figure of a period. Throws `not_found` for a code of another account, `invalid` for a future range. */
export async function readStatistics(
  orm: Orm,
  accountId: string,
  filter: StatisticsFilter,
  { now, countriesAsOf = null, behindMs = 0, comparesBefore = false }: Options,
): Promise<Statistics> {
  const resolved = await readFilter(orm, accountId, filter, now);
  const { period, code, wanted, tag } = resolved;
  const counting = countPeriod(orm, resolved);
  const [{ tally, people }, before, { types, ranked }, allTags, campaigns] = await Promise.all([
    counting,
    comparesBefore ? counting.then(({ tally }) => readBefore(orm, resolved, tally.days, now)) : null,
    code ? countOne(code, period, now) : countCodes(orm, accountId, { period, wanted }, RANKED, now),
    listTags(orm, accountId, filter.within),
    readCampaigns(orm, resolved),
  ]);
  const { days } = tally;
  return {
    period: presentPeriod(period),
    asOf: new Date(now.getTime() - behindMs).toISOString(),
    behindSeconds: Math.round(behindMs / 1_000),
    code: code && {
      id: code.id,
      type: code.type,
      name: code.name,
      content: displayedContent(code),
      since: code.createdAt.toISOString(),
    },
    tag,
    campaign: (!code && filter.campaign) || null,
    tags: allTags.map(({ tag }) => tag),
    uncounted: sumOf(types, ({ uncounted }) => uncounted),
    figures: figuresOf(days, people, types, wanted !== null),
    before,
    mostActive: {
      definition: 'most_active',
      codes: ranked.map((code) => withDisplayedContent(code)),
    },
    trend: { definition: 'trend', days: presentDays(period, days) },
    visitorsByDay: {
      definition: wanted ? 'visitors_by_code_and_day' : 'visitors_by_day',
      days: presentVisitors(period, people),
    },
    distribution: { definition: 'distribution', types: typesOf(tally, types, code !== null) },
    hours: { definition: 'hours', visits: tally.hours },
    weekdays: { definition: 'weekdays', visits: tally.weekdays },
    devices: { definition: 'devices', values: tally.valuesOf('device') },
    systems: { definition: 'systems', values: tally.valuesOf('os') },
    languages: { definition: 'languages', values: tally.valuesOf('language') },
    countries: {
      definition: 'countries',
      values: tally.valuesOf('country'),
      asOf: countriesAsOf?.toISOString() ?? null,
    },
    campaigns: { definition: 'campaigns', values: campaigns.utm_campaign },
    campaignSources: { definition: 'campaign_sources', values: campaigns.utm_source },
    campaignMediums: { definition: 'campaign_mediums', values: campaigns.utm_medium },
  };
}

async function readBefore(
  orm: Orm,
  resolved: ResolvedFilter,
  days: Counts[],
  now: Date,
): Promise<Statistics['before']> {
  const period = periodBefore(resolved.period, now);
  const since = resolved.code?.createdAt ?? (await findFirstCreation(orm, resolved.accountId));
  if (!since || since.getTime() > (period.starts[0] ?? 0)) return null;
  const daysBefore = await countTotals(orm, { ...resolved, period });
  const compare = (read: (day: Counts) => number) => {
    const [later, earlier] = [days.map(read), daysBefore.map(read)];
    return { value: sumOf(earlier, (count) => count), isChance: isChance(later, earlier) };
  };
  return {
    from: period.from,
    to: period.to,
    visits: compare(({ scans, clicks }) => scans + clicks),
    scans: compare(({ scans }) => scans),
    clicks: compare(({ clicks }) => clicks),
  };
}

/** The types of existing codes, then those of which only deleted codes were visited; by UTC days. */
function typesOf(
  tally: Tally,
  present: CodesOfType[],
  isOneCode: boolean,
): Statistics['distribution']['types'] {
  if (isOneCode) {
    const visits = sumOf(tally.valuesOf('device'), ({ visits }) => visits);
    return present.map(({ type, codes }) => ({ type, codes, visits }));
  }
  const visited = tally.valuesOf('type').map(({ value, visits }) => ({ type: value as CodeType, visits }));
  const deletedTypes = visited.filter(({ type }) => present.every((existing) => existing.type !== type));
  return [
    ...present.map(({ type, codes }) => ({
      type,
      codes,
      visits: visited.find((entry) => entry.type === type)?.visits ?? 0,
    })),
    ...deletedTypes.map(({ type, visits }) => ({ type, codes: 0, visits })),
  ];
}

function countOne({ type, isCounted, createdAt, lastAt }: SelectedCode, { starts }: Period, now: Date) {
  const createdMs = createdAt.getTime();
  const own: CodesOfType = {
    type,
    codes: 1,
    active: Number(lastAt !== null && lastAt.getTime() >= now.getTime() - ACTIVE_DAYS * DAY_MS),
    created: Number(createdMs >= (starts[0] ?? 0) && createdMs < (starts.at(-1) ?? 0)),
    uncounted: Number(!isCounted),
  };
  return { types: [own], ranked: [] };
}

/**
 * Persons of several codes are `addedUp`, as nobody can be recognised from one code to the next afterwards: these
 * figures have names of their own, because they may be higher than those of all codes.
 */
function figuresOf(
  days: Counts[],
  people: PeopleDay[],
  codes: CodesOfType[],
  addedUp: boolean,
): Statistics['figures'] {
  const [scans, clicks] = [sumOf(days, (day) => day.scans), sumOf(days, (day) => day.clicks)];
  const total = sumOf(codes, (type) => type.codes);
  const visitors = sumOf(people, (day) => day.visitors);
  const measured = sumOf(people, (day) => day.measured);
  const engaged = sumOf(people, (day) => day.engaged);
  const engagements = sumOf(people, (day) => day.engagements);
  return {
    visits: figure('visits', scans + clicks),
    scans: figure('scans', scans),
    clicks: figure('clicks', clicks),
    total_codes: figure('total_codes', total),
    average_per_code: figure('average_per_code', share(scans + clicks, total)),
    active_codes: figure(
      'active_codes',
      sumOf(codes, (type) => type.active),
    ),
    recently_created: figure(
      'recently_created',
      sumOf(codes, (type) => type.created),
    ),
    unique_visitors: figure(addedUp ? 'visitors_by_code' : 'unique_visitors', visitors),
    distinct_engagements: figure(
      addedUp ? 'engaged_by_code' : 'distinct_engagements',
      measured > 0 ? engaged : null,
    ),
    engagements: figure('engagements', measured > 0 ? engagements : null),
    conversion_rate: figure('conversion_rate', share(engaged, measured)),
    actions_per_visitor: figure('actions_per_visitor', share(scans + clicks + engagements, visitors)),
    bots: figure(
      'bots',
      sumOf(days, (day) => day.bots),
    ),
    previews: figure(
      'previews',
      sumOf(days, (day) => day.previews),
    ),
    owner: figure(
      'owner',
      sumOf(days, (day) => day.owner),
    ),
  };
}

function figure<const Name extends string>(definition: Name, value: number | null) {
  return { definition, value };
}

/** Null if there is nothing to divide by: not measured is not zero. */
function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

function sumOf<Item>(items: Item[], read: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}

function presentPeriod(period: Period): Statistics['period'] {
  const { from, to, timeZone, starts } = period;
  const iso = (at: number | undefined) => new Date(at ?? 0).toISOString();
  return {
    from,
    to,
    timeZone,
    startsAt: iso(starts[0]),
    endsAt: iso(starts.at(-1)),
    lateMinutes: lateMinutesOf(period),
  };
}

function presentDays(period: Period, days: Counts[]): Statistics['trend']['days'] {
  return days.map((counts, position) => ({
    day: period.dates[position] ?? '',
    hours: hoursOf(period, position),
    ...counts,
  }));
}

function presentVisitors({ dates }: Period, people: PeopleDay[]): Statistics['visitorsByDay']['days'] {
  const visitors = new Map(people.map(({ day, visitors }) => [day, visitors]));
  return dates.map((day) => ({ day, visitors: visitors.get(day) ?? 0 }));
}
