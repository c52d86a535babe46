import type { Visit } from './visit';
import type { NumberVisitor } from './visitors';
import { dayOf } from './visitors';

/** A visit as the journal keeps it: nothing in it is of a person but the number of the day. */
export interface KeptVisit extends Pick<Visit, 'codeId' | 'at' | 'source' | 'class' | 'outcome'> {
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
export function writeKept(visits: Visit[], numberOf: NumberVisitor): string {
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

export function readKept(json: string): KeptVisit[] {
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
export function joinKept(parts: string[]): string {
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
