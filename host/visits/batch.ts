import type { Statement } from '#host/db/client';
import { countAccounts } from './batch-accounts';
import { type CodeHour, createCodeCounts } from './batch-codes';
import { list, sorted } from './batch-rows';
import type { Agent } from './classify';
import type { CodeOwner } from './code-owners';
import { dayOf, type NumberVisitor } from './visitors';
import { WRITE } from './write-statement';

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
/** Types whose page tells of what a visitor does there. */
const MEASURED = ['text', 'email'];

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

/**
 * The statement that writes these visits as batch number `batch` of a lane. `numberOf` knows their days, `owners`
 * their codes.
 */
export function writeBatch(
  lane: string,
  batch: number,
  visits: Visit[],
  numberOf: NumberVisitor,
  owners: ReadonlyMap<string, CodeOwner>,
): Statement {
  const from = Math.floor(Math.min(...visits.map((visit) => visit.at)) / HOUR_MS) * HOUR_MS;
  const firstDay = Math.floor(from / DAY_MS);
  const codes = createCodeCounts(from);
  const people = new Map<string, Person>();
  let today = { number: 0, name: '' };
  for (const visit of visits) {
    const { codeId, at } = visit;
    if (codeId === null) continue;
    const hour = codes.add(codeId, visit);
    if (!isVisitor(visit)) continue;
    const number = Math.floor(at / DAY_MS);
    if (number !== today.number) today = { number, name: dayOf(at) };
    const visitor = numberOf(today.name, visit.address, visit.agent.text);
    if (visitor === null) continue;
    const key = `${codeId} ${number} ${visitor}`;
    if (!people.has(key)) people.set(key, { codeId, day: number - firstDay, visitor, hour });
  }
  const counted = codes.finish();
  return {
    name: 'visits_write',
    text: WRITE,
    values: [
      lane,
      batch,
      new Date(from).toISOString(),
      dayOf(from),
      ...visitColumns(visits, from),
      ...personColumns(sorted(people), owners),
      ...counted.columns,
      ...countAccounts(counted.hours, owners, (from - firstDay * DAY_MS) / HOUR_MS),
    ],
  };
}

interface Person {
  codeId: string;
  /** Since the first UTC day of the batch. */
  day: number;
  visitor: string;
  /** Of the first visit. */
  hour: CodeHour;
}

function visitColumns(visits: Visit[], from: number): string[] {
  return [
    list(visits, (visit) => visit.codeId),
    list(visits, (visit) => visit.at - from),
    list(visits, (visit) => visit.source),
    list(visits, (visit) => visit.class),
    list(visits, (visit) => visit.outcome),
    list(visits, (visit) => visit.agent.device),
    list(visits, (visit) => visit.agent.os),
    list(visits, (visit) => visit.language),
    list(visits, (visit) => visit.country),
  ];
}

function personColumns(people: Person[], owners: ReadonlyMap<string, CodeOwner>): string[] {
  return [
    list(people, (person) => person.codeId),
    list(people, (person) => person.day),
    list(people, (person) => person.visitor),
    list(people, (person) => person.hour.line),
    list(people, (person) => owners.get(person.codeId)?.accountId ?? null),
    list(people, (person) => MEASURED.includes(owners.get(person.codeId)?.type ?? '')),
  ];
}
