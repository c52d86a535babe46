import type { Statement } from '#host/db/client';
import type { Visit } from './classify';
import { dayOf, type NumberVisitor } from './visitors';

/**
 * Visits that are put into the journal together, as batch number `number` of a lane. Whoever sends batches of a lane
 * sends them in the order of their numbers.
 */
export interface Batch {
  lane: string;
  number: number;
  size: number;
  /** Moment of the first visit, in milliseconds since the epoch. */
  at: number;
  /** Of `serializeVisits`. */
  visits: string;
}

/**
 * The lane's row says which batch of the lane came in last: when a connection broke and nobody knows whether the batch
 * committed, sending it again either finds its number taken and writes nothing, or waits for the first attempt to end
 * and then decides. So a batch is kept exactly once. Nothing is answered where it was kept before.
 */
const KEEP = `
with lane as (
  insert into visit_lanes (id, batch, at) values ($1::uuid, $2::bigint, $3::timestamptz)
  on conflict (id) do update set batch = excluded.batch, at = excluded.at where visit_lanes.batch < $6::bigint
  returning id
)
insert into visit_journal (size, visits) select $4::int, $5 from lane returning id`;

/**
 * The statement that puts a batch into the journal. With `first`, it holds the batches of the lane from that number on,
 * and nothing is kept where any of them was.
 */
export function insertBatch({ lane, number, at, size, visits }: Batch, first = number): Statement {
  return {
    name: 'visits_keep',
    text: KEEP,
    values: [lane, number, new Date(at).toISOString(), size, visits, first],
  };
}

/** A visit as the journal keeps it: nothing in it is of a person but the number of the day. */
export interface JournaledVisit extends Pick<Visit, 'codeId' | 'at' | 'source' | 'class' | 'outcome'> {
  device: string;
  os: string;
  language: string;
  country: string;
  /** Number of the visitor on that UTC day; null for who is none, or can no longer be told from others. */
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
];

/** The batch as JSON: the moment of one visit, then a row for each. */
export function serializeVisits(visits: Visit[], numberOf: NumberVisitor): string {
  const from = visits[0]?.at ?? 0;
  let today = { number: 0, name: '' };
  const rows = visits.map((visit): Row => {
    const { codeId, at, source, class: kind, outcome, agent, language, country } = visit;
    let visitor: string | null = null;
    if (isVisitor(visit)) {
      const number = Math.floor(at / DAY_MS);
      if (number !== today.number) today = { number, name: dayOf(at) };
      visitor = numberOf(today.name, visit.clientIp, agent.text);
    }
    return [codeId, at - from, source, kind, outcome, agent.device, agent.os, language, country, visitor];
  });
  return JSON.stringify([from, rows]);
}

export function parseVisits(json: string): JournaledVisit[] {
  const [from, rows] = JSON.parse(json) as [number, Row[]];
  return rows.map(([codeId, ms, source, kind, outcome, device, os, language, country, visitor]) => ({
    codeId,
    at: from + ms,
    source,
    class: kind,
    outcome,
    device,
    os,
    language,
    country,
    visitor,
  }));
}

/** Several batches as one. */
export function joinVisits(parts: string[]): string {
  const batches = parts.map((part) => JSON.parse(part) as [number, Row[]]);
  const from = batches[0]?.[0] ?? 0;
  const rows = batches.flatMap(([at, visits]) =>
    visits.map(([codeId, ms, ...rest]): Row => [codeId, at - from + ms, ...rest]),
  );
  return JSON.stringify([from, rows]);
}

const DAY_MS = 24 * 3_600_000;

/** The UTC days whose visitors are among these visits. */
export function daysOf(visits: Visit[]): string[] {
  const days = new Set<number>();
  for (const visit of visits) if (isVisitor(visit)) days.add(Math.floor(visit.at / DAY_MS));
  return [...days].map((day) => dayOf(day * DAY_MS));
}

/** True for the visits that make a person a visitor: a human who was shown what the code holds. */
function isVisitor(visit: Visit): boolean {
  return visit.class === 'human' && visit.outcome === 'served' && visit.codeId !== null;
}
