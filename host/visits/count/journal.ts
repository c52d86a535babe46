import type { VisitCampaign } from '#contract/campaign';
import { isStorable } from '#contract/storable';
import { DAY_MS, utcDay } from '#contract/time';
import type { Statement } from '#host/db/client';
import type { Visit } from '#host/visits/receive/classify';
import type { HashVisitor } from './visitor-salts';

/** Visits that are inserted into the journal together. The batches of a lane are sent in the order of their numbers. */
export interface Batch {
  lane: string;
  number: number;
  size: number;
  /** Time of the first visit, in milliseconds since the epoch. */
  at: number;
  /** Made by `serializeVisits`. */
  visits: string;
}

/**
 * Idempotent: the lane's row holds the number of its last batch. If a connection breaks and it is unknown whether the
 * batch was committed, sending it again either finds its number taken and writes nothing, or waits for the first
 * attempt to end and then decides. Returns no row if the batch was already there.
 */
const INSERT = `
with lane as (
  insert into visit_lanes (id, batch, at) values ($1::uuid, $2::bigint, $3::timestamptz)
  on conflict (id) do update set batch = excluded.batch, at = excluded.at where visit_lanes.batch < $6::bigint
  returning id
)
insert into visit_journal (size, visits) select $4::int, $5 from lane returning id`;

/**
 * The statement that inserts a batch into the journal. If it merges several, `first` is the number of the first one,
 * and nothing is inserted if any of them was already there.
 */
export function insertBatch({ lane, number, at, size, visits }: Batch, first = number): Statement {
  return {
    name: 'visits_insert',
    text: INSERT,
    values: [lane, number, new Date(at).toISOString(), size, visits, first],
  };
}

/** A visit as it is stored in the journal: its only personal data is the daily hash of the visitor. */
export interface JournaledVisit
  extends Pick<
    Visit,
    'id' | 'isResent' | 'codeId' | 'at' | 'source' | 'class' | 'outcome' | 'route' | 'campaign'
  > {
  device: string;
  os: string;
  language: string;
  country: string;
  /** Hash of the visitor on that UTC day; null if the visit has no visitor or the salt was destroyed. */
  visitor: string | null;
}

type Row = [
  codeId: string | null,
  /** Milliseconds since the first visit of the batch. */
  ms: number,
  source: Visit['source'],
  kind: Visit['class'],
  outcome: Visit['outcome'],
  device: string,
  os: string,
  language: string,
  country: string,
  visitor: string | null,
  id?: string,
  isResent?: 1,
];

/** Routes by the position of their visits: apart from the rows, which an earlier release reads by their length. */
type Routes = [position: number, route: number][];
/** The same of campaigns. */
type Campaigns = [position: number, ...campaign: VisitCampaign][];
type Content = [from: number, rows: Row[], routes?: Routes, campaigns?: Campaigns];

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const NUMBER = /^\d{1,19}$/;

/** The batch as JSON: the time of the first visit, a row for each, and the routes and campaigns of those that have one. */
export function serializeVisits(visits: Visit[], hashVisitor: HashVisitor): string {
  const from = visits[0]?.at ?? 0;
  let today = { number: 0, name: '' };
  const rows = visits.map((visit): Row => {
    const { id, isResent, codeId, at, source, class: kind, outcome, agent, language, country } = visit;
    let visitor: string | null = null;
    if (isVisitor(visit)) {
      const number = Math.floor(at / DAY_MS);
      if (number !== today.number) today = { number, name: utcDay(at) };
      visitor = hashVisitor(today.name, visit.clientIp, agent.text);
    }
    const { device, os } = agent;
    const row: Row = [codeId, at - from, source, kind, outcome, device, os, language, country, visitor];
    if (id !== undefined) row.push(id);
    if (id !== undefined && isResent) row.push(1);
    return row;
  });
  return stringify(from, rows, routesOf(visits), campaignsOf(visits));
}

function stringify(from: number, rows: Row[], routes: Routes, campaigns: Campaigns): string {
  if (campaigns.length > 0) return JSON.stringify([from, rows, routes, campaigns]);
  return JSON.stringify(routes.length > 0 ? [from, rows, routes] : [from, rows]);
}

function routesOf(visits: Pick<Visit, 'route'>[]): Routes {
  return visits.flatMap(({ route }, position) => (route === undefined ? [] : [[position, route]]));
}

function campaignsOf(visits: Pick<Visit, 'campaign'>[]): Campaigns {
  return visits.flatMap(({ campaign }, position): Campaigns => (campaign ? [[position, ...campaign]] : []));
}

/** Parses the output of `serializeVisits`; drops visitors that are too late by now. */
export function parseVisits(json: string, now: Date): JournaledVisit[] {
  const [from, rows, routes = [], campaigns = []] = JSON.parse(json) as Content;
  const routeAt = new Map(routes);
  const campaignAt = new Map(campaigns.map(([position, ...campaign]) => [position, campaign]));
  const yesterday = startOfYesterday(now);
  return rows.map(
    (
      [codeId, ms, source, kind, outcome, device, os, language, country, visitor, id, isResent],
      position,
    ) => ({
      id,
      isResent: isResent === 1,
      route: routeAt.get(position),
      campaign: campaignAt.get(position),
      codeId,
      at: from + ms,
      source,
      class: kind,
      outcome,
      device,
      os,
      language,
      country,
      visitor: from + ms < yesterday ? null : visitor,
    }),
  );
}

/** Whether this is the output of `serializeVisits`, of this release or of a later one that only adds to it. */
export function areVisits(json: string): boolean {
  try {
    const [from, rows, routes = [], campaigns = []] = JSON.parse(json) as [unknown, ...unknown[][]];
    const areRows = Number.isFinite(from) && rows !== undefined && rows.length > 0 && rows.every(isRow);
    return areRows && routes.every(isRoute) && campaigns.every(isCampaign);
  } catch {
    return false;
  }
}

function isRow(row: unknown): boolean {
  if (!Array.isArray(row)) return false;
  const [codeId, ms, source, kind, outcome, device, os, language, country, visitor, id = ''] = row;
  const texts = [source, kind, outcome, device, os, language, country, id];
  return (
    (codeId === null || (typeof codeId === 'string' && UUID.test(codeId))) &&
    Number.isFinite(ms) &&
    (visitor === null || (typeof visitor === 'string' && NUMBER.test(visitor))) &&
    texts.every((text) => typeof text === 'string' && !text.includes('\0'))
  );
}

function isRoute(pair: unknown): boolean {
  return Array.isArray(pair) && pair.length === 2 && pair.every((number) => Number.isSafeInteger(number));
}

function isCampaign(entry: unknown): boolean {
  if (!Array.isArray(entry) || entry.length !== 4) return false;
  const [position, ...texts] = entry;
  return (
    Number.isSafeInteger(position) && texts.every((text) => typeof text === 'string' && isStorable(text))
  );
}

export function joinVisits(parts: string[]): string {
  const batches = parts.map((part) => JSON.parse(part) as Content);
  const from = batches[0]?.[0] ?? 0;
  const rows: Row[] = [];
  const routes: Routes = [];
  const campaigns: Campaigns = [];
  for (const [at, visits, routed = [], led = []] of batches) {
    for (const [position, route] of routed) routes.push([rows.length + position, route]);
    for (const [position, ...campaign] of led) campaigns.push([rows.length + position, ...campaign]);
    for (const [codeId, ms, ...rest] of visits) rows.push([codeId, at - from + ms, ...rest]);
  }
  return stringify(from, rows, routes, campaigns);
}

/**
 * The start of yesterday, UTC. For earlier days nothing is kept that says whether a visitor was counted, so late visits
 * count as visits, but not as visitors.
 */
function startOfYesterday(now: Date): number {
  return (Math.floor(now.getTime() / DAY_MS) - 1) * DAY_MS;
}

/** The UTC days on which these visits have visitors. */
export function daysOf(visits: Visit[]): string[] {
  const days = new Set<number>();
  for (const visit of visits) if (isVisitor(visit)) days.add(Math.floor(visit.at / DAY_MS));
  return [...days].map((day) => utcDay(day * DAY_MS));
}

/** Whether the visit is by a person who was shown what the code holds. */
function isVisitor(visit: Visit): boolean {
  return visit.class === 'human' && visit.outcome === 'served' && visit.codeId !== null;
}
