import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMeasured } from '#contract/contents/contents';
import { DAY_MS, HOUR_MS } from '#contract/time';
import type { JournaledVisit } from './journal';

/**
 * The account whose figures include a code's visits. Account and type of a code never change; accounts may be erased.
 */
export interface CodeOwner {
  accountId: string;
  type: string;
}

interface CodeHour {
  codeId: string;
  /** Hours since the first hour of these visits. */
  hour: number;
  source: JournaledVisit['source'];
  class: JournaledVisit['class'];
  device: string;
  os: string;
  language: string;
  country: string;
  count: number;
  /** Those who are new on their day. */
  visitors: number;
}

interface Person {
  codeId: string;
  /** Days since the first UTC day of these visits. */
  day: number;
  visitor: string;
  accountId: string;
  /** Whether the code's landing page reports engagements. */
  measured: boolean;
  /** That of the first visit. */
  hour: CodeHour;
}

interface CodeDay {
  codeId: string;
  day: number;
  count: number;
  /** Visits of the same code among these on earlier days. */
  earlier: number;
}

interface RouteDay {
  codeId: string;
  day: number;
  route: number;
  scans: number;
  clicks: number;
}

interface CampaignDay {
  codeId: string;
  day: number;
  source: string;
  medium: string;
  campaign: string;
  accountId: string;
  visits: number;
}

interface CodeTotal {
  codeId: string;
  accountId: string;
  scans: number;
  clicks: number;
  others: number;
  lastMs: number | null;
}

interface AccountHour {
  accountId: string;
  hour: number;
  scans: number;
  clicks: number;
  bots: number;
  previews: number;
  owner: number;
}

interface AccountFacet {
  accountId: string;
  day: number;
  facet: string;
  value: string;
  visits: number;
}

const COLUMN_OF = { bot: 'bots', preview: 'previews', owner: 'owner' } as const;

/** What the visits of one code add, by the keys of the rows, which sort as the rows' primary keys within a code. */
interface CodeCounts {
  accountId: string;
  /** Whether the code's landing page reports engagements. */
  measured: boolean;
  /** Whether it did not lead on some of these visits, by which it may end all the same. */
  hasUnserved: boolean;
  total: CodeTotal;
  hours: Map<string, CodeHour>;
  days: Map<string, CodeDay>;
  routes: Map<string, RouteDay>;
  campaigns: Map<string, CampaignDay>;
  persons: Map<string, Person>;
}

/** The visits that are added up, or passed to a statement, before other work gets its turn. */
export const PART_VISITS = 1_000;

/**
 * What these visits add to each row of the counters, except for visitors, sorted by the keys of the rows. `from` is the
 * first hour of the visits, in milliseconds. Visits of codes without an owner add nothing.
 */
export async function aggregateVisits(
  visits: JournaledVisit[],
  owners: ReadonlyMap<string, CodeOwner>,
  from: number,
) {
  const counts = new Map<string, CodeCounts>();
  for (let start = 0; start < visits.length; start += PART_VISITS) {
    if (start > 0) await nextTurn();
    for (const visit of visits.slice(start, start + PART_VISITS)) {
      const { codeId } = visit;
      const owner = codeId === null ? undefined : owners.get(codeId);
      if (codeId !== null && owner)
        countVisit(
          getOrCreate(counts, codeId, () => noCounts(codeId, owner)),
          codeId,
          visit,
          from,
        );
    }
  }
  const codes = sortedByKey(counts);
  const hours = codes.flatMap((code) => sortedByKey(code.hours));
  const firstDay = Math.floor(from / DAY_MS);
  return {
    persons: codes.flatMap(({ persons }) => sortedByKey(persons)),
    hours,
    days: codes.flatMap(({ days }) => addEarlier(sortedByKey(days))),
    totals: codes.map(({ total }) => total),
    routes: codes.flatMap(({ routes }) => sortedByKey(routes)),
    campaigns: codes.flatMap(({ campaigns }) => sortedByKey(campaigns)),
    ending: codes.filter(({ hasUnserved }) => hasUnserved).map(({ total }) => total.codeId),
    ...aggregateAccounts(hours, owners, (from - firstDay * DAY_MS) / HOUR_MS),
  };
}

function noCounts(codeId: string, { accountId, type }: CodeOwner): CodeCounts {
  return {
    accountId,
    measured: isMeasured(type),
    hasUnserved: false,
    total: { codeId, accountId, scans: 0, clicks: 0, others: 0, lastMs: null },
    hours: new Map(),
    days: new Map(),
    routes: new Map(),
    campaigns: new Map(),
    persons: new Map(),
  };
}

function countVisit(code: CodeCounts, codeId: string, visit: JournaledVisit, from: number): void {
  const { at, visitor, source, route, campaign } = visit;
  const { accountId, measured, total } = code;
  const day = Math.floor(at / DAY_MS) - Math.floor(from / DAY_MS);
  const dayKey = pad(day);
  const hour = hourRowOf(code.hours, codeId, visit, Math.floor((at - from) / HOUR_MS));
  hour.count += 1;
  if (visit.class === 'human') {
    total[source === 'scan' ? 'scans' : 'clicks'] += 1;
    code.hasUnserved ||= visit.outcome !== 'served';
    total.lastMs = Math.max(total.lastMs ?? 0, at - from);
    getOrCreate(code.days, dayKey, () => ({ codeId, day, count: 0, earlier: 0 })).count += 1;
    if (route !== undefined) {
      const row = getOrCreate(code.routes, `${dayKey} ${pad(route)}`, () => {
        return { codeId, day, route, scans: 0, clicks: 0 };
      });
      row[source === 'scan' ? 'scans' : 'clicks'] += 1;
    }
    if (campaign) {
      const [utmSource, medium, name] = campaign;
      getOrCreate(code.campaigns, `${dayKey} ${JSON.stringify(campaign)}`, () => {
        return { codeId, day, source: utmSource, medium, campaign: name, accountId, visits: 0 };
      }).visits += 1;
    }
  } else total.others += 1;
  if (visitor === null) return;
  getOrCreate(code.persons, `${dayKey} ${visitor}`, () => ({
    codeId,
    day,
    visitor,
    accountId,
    measured,
    hour,
  }));
}

/** Visits that are not by people share one row, without device, language and country. */
function hourRowOf(
  rows: Map<string, CodeHour>,
  codeId: string,
  visit: JournaledVisit,
  hour: number,
): CodeHour {
  const { source, class: kind, device, os, language, country } = visit;
  const isHuman = kind === 'human';
  const facets = isHuman ? ` ${device} ${os} ${language} ${country}` : '';
  return getOrCreate(rows, `${pad(hour)} ${source} ${kind}${facets}`, () => ({
    codeId,
    hour,
    source,
    class: kind,
    device: isHuman ? device : '',
    os: isHuman ? os : '',
    language: isHuman ? language : '',
    country: isHuman ? country : '',
    count: 0,
    visitors: 0,
  }));
}

/** For the days of one code. */
function addEarlier(rows: CodeDay[]): CodeDay[] {
  let earlier = 0;
  for (const row of rows) {
    row.earlier = earlier;
    earlier += row.count;
  }
  return rows;
}

/** Adds the hours of codes up to hours and days of their accounts. `firstHour` is the hour of the day of hour 0. */
function aggregateAccounts(codeHours: CodeHour[], owners: ReadonlyMap<string, CodeOwner>, firstHour: number) {
  const hours = new Map<string, AccountHour>();
  const facets = new Map<string, AccountFacet>();
  for (const row of codeHours) {
    const owner = owners.get(row.codeId);
    if (!owner) continue;
    const { accountId } = owner;
    const { hour, count } = row;
    const hourly = getOrCreate(hours, `${accountId} ${pad(hour)}`, () => {
      return { accountId, hour, scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
    });
    if (row.class !== 'human') {
      hourly[COLUMN_OF[row.class]] += count;
      continue;
    }
    hourly[row.source === 'scan' ? 'scans' : 'clicks'] += count;
    const day = Math.floor((firstHour + hour) / 24);
    const add = (facet: string, value: string) => {
      getOrCreate(facets, `${accountId} ${pad(day)} ${facet} ${value}`, () => {
        return { accountId, day, facet, value, visits: 0 };
      }).visits += count;
    };
    add('country', row.country);
    add('device', row.device);
    add('language', row.language);
    add('os', row.os);
    add('type', owner.type);
  }
  return { accountHours: sortedByKey(hours), accountFacets: sortedByKey(facets) };
}

/** The row with a key, created if there is none. */
function getOrCreate<Row>(rows: Map<string, Row>, key: string, make: () => Row): Row {
  let row = rows.get(key);
  if (!row) {
    row = make();
    rows.set(key, row);
  }
  return row;
}

/** In the order of their keys. */
function sortedByKey<Row>(rows: Map<string, Row>): Row[] {
  return [...rows.keys()].sort().map((key) => rows.get(key) as Row);
}

/** Sorts as text the way it sorts as a number. */
function pad(number: number): string {
  return String(number).padStart(6, '0');
}
