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

/**
 * What these visits add to each row of the counters, except for visitors, sorted by the keys of the rows. `from` is the first hour of the
 * visits, in milliseconds. Visits of codes without an owner add nothing.
 */
export function aggregateVisits(
  visits: JournaledVisit[],
  owners: ReadonlyMap<string, CodeOwner>,
  from: number,
) {
  const firstDay = Math.floor(from / DAY_MS);
  const hours = new Map<string, CodeHour>();
  const persons = new Map<string, Person>();
  const days = new Map<string, CodeDay>();
  const totals = new Map<string, CodeTotal>();
  const routes = new Map<string, RouteDay>();
  const campaigns = new Map<string, CampaignDay>();
  for (const visit of visits) {
    const { codeId, at, visitor } = visit;
    const owner = codeId === null ? undefined : owners.get(codeId);
    if (codeId === null || !owner) continue;
    const day = Math.floor(at / DAY_MS) - firstDay;
    const hour = hourRowOf(hours, codeId, visit, Math.floor((at - from) / HOUR_MS));
    hour.count += 1;
    const { accountId } = owner;
    const total = getOrCreate(totals, codeId, () => {
      return { codeId, accountId, scans: 0, clicks: 0, others: 0, lastMs: null };
    });
    if (visit.class === 'human') {
      total[visit.source === 'scan' ? 'scans' : 'clicks'] += 1;
      total.lastMs = Math.max(total.lastMs ?? 0, at - from);
      getOrCreate(days, `${codeId} ${pad(day)}`, () => ({ codeId, day, count: 0, earlier: 0 })).count += 1;
      if (visit.route !== undefined) countRoute(routes, { codeId, day, route: visit.route }, visit.source);
      if (visit.campaign) countCampaign(campaigns, { codeId, day, accountId }, visit.campaign);
    } else total.others += 1;
    if (visitor === null) continue;
    const measured = isMeasured(owner.type);
    getOrCreate(persons, `${codeId} ${pad(day)} ${visitor}`, () => {
      return { codeId, day, visitor, accountId, measured, hour };
    });
  }
  const sortedHours = sortedByKey(hours);
  return {
    persons: sortedByKey(persons),
    hours: sortedHours,
    days: addEarlier(sortedByKey(days)),
    totals: sortedByKey(totals),
    routes: sortedByKey(routes),
    campaigns: sortedByKey(campaigns),
    ...aggregateAccounts(sortedHours, owners, (from - firstDay * DAY_MS) / HOUR_MS),
  };
}

function countRoute(
  rows: Map<string, RouteDay>,
  key: Pick<RouteDay, 'codeId' | 'day' | 'route'>,
  source: JournaledVisit['source'],
): void {
  const row = getOrCreate(rows, `${key.codeId} ${pad(key.day)} ${pad(key.route)}`, () => {
    return { ...key, scans: 0, clicks: 0 };
  });
  row[source === 'scan' ? 'scans' : 'clicks'] += 1;
}

function countCampaign(
  rows: Map<string, CampaignDay>,
  key: Pick<CampaignDay, 'codeId' | 'day' | 'accountId'>,
  [source, medium, campaign]: NonNullable<JournaledVisit['campaign']>,
): void {
  const id = `${key.codeId} ${pad(key.day)} ${JSON.stringify([source, medium, campaign])}`;
  getOrCreate(rows, id, () => ({ ...key, source, medium, campaign, visits: 0 })).visits += 1;
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
  return getOrCreate(rows, `${codeId} ${pad(hour)} ${source} ${kind}${facets}`, () => ({
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

function addEarlier(rows: CodeDay[]): CodeDay[] {
  rows.forEach((row, position) => {
    const before = rows[position - 1];
    if (before?.codeId === row.codeId) row.earlier = before.earlier + before.count;
  });
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
