import type { Statistics } from '#contract/statistics';
import type { Visit } from '#host/visits/receive/classify';

interface NaiveCode {
  id: string;
  type: string;
}

/** A naive count of a period in a time zone; `code` is one code, or null for all. */
export function countNaively(
  all: Visit[],
  codes: NaiveCode[],
  requested: { from: string; to: string; timeZone: string; code: string | null },
) {
  const owned = all.filter(({ codeId }) =>
    codes.some(({ id }) => id === codeId && [null, id].includes(requested.code)),
  );
  const local = owned.filter((visit) => isWithin(requested, dateIn(requested.timeZone, visit.at)));
  const people = local.filter(isPerson);
  // Persons, devices, languages and types are counted by UTC day.
  const utcPeople = owned.filter((visit) => isPerson(visit) && isWithin(requested, dateIn('UTC', visit.at)));
  const served = utcPeople.filter(({ outcome }) => outcome === 'served');
  const typeOf = (visit: Visit) => codes.find(({ id }) => id === visit.codeId)?.type ?? '';
  const measured = served.filter((visit) => ['text', 'email'].includes(typeOf(visit)));
  return {
    scans: people.filter(({ source }) => source === 'scan').length,
    clicks: people.filter(({ source }) => source === 'click').length,
    bots: local.filter((visit) => visit.class === 'bot').length,
    previews: local.filter((visit) => visit.class === 'preview').length,
    owner: local.filter((visit) => visit.class === 'owner').length,
    visitors: countPersons(served),
    measured: countPersons(measured),
    byDay: tally(people, (visit) => dateIn(requested.timeZone, visit.at)),
    byHour: tally(people, (visit) => hourIn(requested.timeZone, visit.at)),
    devices: tally(utcPeople, ({ agent }) => agent.device),
    systems: tally(utcPeople, ({ agent }) => agent.os),
    languages: tally(utcPeople, ({ language }) => language),
    types: tally(utcPeople, typeOf),
    byCode: tally(utcPeople, ({ codeId }) => codeId ?? ''),
  };
}

/** The response of the host in the same shape. */
export function readAnswered({
  figures,
  trend,
  hours,
  devices,
  systems,
  languages,
  distribution,
}: Statistics) {
  const named = (values: { value: string; visits: number }[]) =>
    withoutZeros(values.map(({ value, visits }) => [value, visits]));
  return {
    scans: figures.scans.value,
    clicks: figures.clicks.value,
    bots: figures.bots.value,
    previews: figures.previews.value,
    owner: figures.owner.value,
    visitors: figures.unique_visitors.value,
    byDay: withoutZeros(trend.days.map(({ day, scans, clicks }) => [day, scans + clicks])),
    byHour: withoutZeros(hours.visits.map((visits, hour) => [String(hour), visits])),
    devices: named(devices.values),
    systems: named(systems.values),
    languages: named(languages.values),
    types: withoutZeros(distribution.types.map(({ type, visits }) => [type, visits])),
  };
}

function isPerson(visit: Visit): boolean {
  return visit.class === 'human';
}

function isWithin({ from, to }: { from: string; to: string }, date: string): boolean {
  return date >= from && date <= to;
}

function dateIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

function hourIn(timeZone: string, at: number): string {
  return String(
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(at)),
  );
}

/** A person is one IP address and one browser on one UTC day. */
function countPersons(visits: Visit[]): number {
  return new Set(visits.map(({ at, clientIp, agent }) => `${dateIn('UTC', at)} ${clientIp} ${agent.text}`))
    .size;
}

function tally(visits: Visit[], read: (visit: Visit) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const visit of visits) counts[read(visit)] = (counts[read(visit)] ?? 0) + 1;
  return counts;
}

function withoutZeros(entries: [string, number][]): Record<string, number> {
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}
