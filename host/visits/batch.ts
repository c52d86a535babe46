import type { Statement } from '#host/db/client';
import type { Agent } from './classify';
import { dayOf, type NumberVisitor } from './visitors';

export interface Visit {
  /** Null for an address nobody made. */
  codeId: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  outcome: 'served' | 'private' | 'unknown' | 'deleted';
  agent: Agent;
  language: string;
  country: string;
  /** Used for the visitor's number of the day, and never written. */
  address: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * One statement, so one transaction. The lane's row says which batch of the lane came in last: when a connection broke
 * and nobody knows whether the batch committed, sending it again either finds its number taken and writes nothing,
 * or waits for the first attempt to end and then decides. So a batch counts exactly once. Rows come sorted: batches
 * that run at the same time lock them in the same order.
 */
const WRITE = `
with lane as (
  insert into visit_lanes (id, batch, at) values ($1::uuid, $2::bigint, $3::timestamptz)
  on conflict (id) do update set batch = excluded.batch, at = excluded.at where visit_lanes.batch < excluded.batch
  returning id
), raw as (
  insert into visits (code_id, at, source, class, outcome, device, os, language, country)
  select code_id, $3::timestamptz + ms * interval '1 millisecond', source, class, outcome, device, os, language, country
  from lane, unnest($4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[]) as visit (code_id, ms, source, class, outcome, device, os, language, country)
), hours as (
  insert into visit_hours (code_id, hour, source, class, count)
  select code_id, $3::timestamptz + hours * interval '1 hour', source, class, count
  from lane, unnest($13::uuid[], $14::int[], $15::text[], $16::text[], $17::int[])
    as counted (code_id, hours, source, class, count)
  on conflict (code_id, hour, source, class) do update set count = visit_hours.count + excluded.count
), totals as (
  insert into code_totals (code_id, scans, clicks, others, last_at)
  select code_id, scans, clicks, others, $3::timestamptz + ms * interval '1 millisecond'
  from lane, unnest($18::uuid[], $19::int[], $20::int[], $21::int[], $22::bigint[])
    as counted (code_id, scans, clicks, others, ms)
  on conflict (code_id) do update set scans = code_totals.scans + excluded.scans,
    clicks = code_totals.clicks + excluded.clicks, others = code_totals.others + excluded.others,
    last_at = greatest(code_totals.last_at, excluded.last_at)
)
insert into visitor_days (code_id, day, visitor)
select code_id, $23::date + days, visitor
from lane, unnest($24::uuid[], $25::int[], $26::bigint[]) as person (code_id, days, visitor)
on conflict do nothing`;

/** True for the visits that make a person a visitor: a human who was shown what the code holds. */
function isVisitor(visit: Visit): boolean {
  return visit.class === 'human' && visit.outcome === 'served' && visit.codeId !== null;
}

/** The UTC days whose visitors are among these visits. */
export function daysOf(visits: Visit[]): string[] {
  const days = new Set<number>();
  for (const visit of visits) if (isVisitor(visit)) days.add(Math.floor(visit.at / DAY_MS));
  return [...days].map((day) => dayOf(day * DAY_MS));
}

/** The statement that writes these visits as batch number `batch` of a lane. `numberOf` knows their days. */
export function writeBatch(lane: string, batch: number, visits: Visit[], numberOf: NumberVisitor): Statement {
  const from = hourOf(Math.min(...visits.map((visit) => visit.at)));
  const hours = new Map<string, Hour>();
  const totals = new Map<string, Total>();
  const people = new Map<string, Person>();
  let today = { day: 0, name: '' };
  for (const visit of visits) {
    const { codeId, at, source } = visit;
    if (codeId === null) continue;
    const hour = hourOf(at);
    const hourly = { codeId, hour: (hour - from) / HOUR_MS, source, class: visit.class, count: 1 };
    add(hours, `${codeId} ${hour} ${source} ${visit.class}`, hourly, (sum) => {
      sum.count += 1;
    });
    const isHuman = visit.class === 'human';
    const total = {
      codeId,
      scans: Number(isHuman && source === 'scan'),
      clicks: Number(isHuman && source === 'click'),
      others: Number(!isHuman),
      lastMs: isHuman ? at - from : null,
    };
    add(totals, codeId, total, (sum) => {
      sum.scans += total.scans;
      sum.clicks += total.clicks;
      sum.others += total.others;
      if (total.lastMs !== null) sum.lastMs = Math.max(sum.lastMs ?? 0, total.lastMs);
    });
    if (!isVisitor(visit)) continue;
    const day = Math.floor(at / DAY_MS);
    if (day !== today.day) today = { day, name: dayOf(at) };
    const number = numberOf(today.name, visit.address, visit.agent.text);
    people.set(`${codeId} ${day} ${number}`, { codeId, day: day - Math.floor(from / DAY_MS), number });
  }
  const [hourRows, totalRows, personRows] = [sorted(hours), sorted(totals), sorted(people)];
  return {
    name: 'visits_write',
    text: WRITE,
    values: [
      lane,
      batch,
      new Date(from).toISOString(),
      list(visits, (visit) => visit.codeId),
      list(visits, (visit) => visit.at - from),
      list(visits, (visit) => visit.source),
      list(visits, (visit) => visit.class),
      list(visits, (visit) => visit.outcome),
      list(visits, (visit) => visit.agent.device),
      list(visits, (visit) => visit.agent.os),
      list(visits, (visit) => visit.language),
      list(visits, (visit) => visit.country),
      list(hourRows, (row) => row.codeId),
      list(hourRows, (row) => row.hour),
      list(hourRows, (row) => row.source),
      list(hourRows, (row) => row.class),
      list(hourRows, (row) => row.count),
      list(totalRows, (row) => row.codeId),
      list(totalRows, (row) => row.scans),
      list(totalRows, (row) => row.clicks),
      list(totalRows, (row) => row.others),
      list(totalRows, (row) => row.lastMs),
      dayOf(from),
      list(personRows, (row) => row.codeId),
      list(personRows, (row) => row.day),
      list(personRows, (row) => row.number),
    ],
  };
}

type Hour = Pick<Visit, 'source' | 'class'> & { codeId: string; hour: number; count: number };
type Total = { codeId: string; scans: number; clicks: number; others: number; lastMs: number | null };
type Person = { codeId: string; day: number; number: string };

function add<Row>(rows: Map<string, Row>, key: string, row: Row, merge: (sum: Row) => void): void {
  const sum = rows.get(key);
  if (sum) merge(sum);
  else rows.set(key, row);
}

function sorted<Row>(rows: Map<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** An array literal of PostgreSQL. The values hold no quote, comma or brace: ids, numbers and words of our own. */
function list<Row>(rows: Row[], read: (row: Row) => string | number | null): string {
  let text = '{';
  for (const row of rows) {
    const value = read(row);
    text += `${text.length > 1 ? ',' : ''}${value === null ? 'NULL' : value === '' ? '""' : value}`;
  }
  return `${text}}`;
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}
