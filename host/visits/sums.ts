import type { CodeOwner } from './count';
import type { JournaledVisit } from './journal';

export interface CodeHour {
  codeId: string;
  /** Since the first hour of the batch. */
  hour: number;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  device: string;
  os: string;
  language: string;
  country: string;
  count: number;
  /** Position among the rows of the statement, from 1. */
  line: number;
}

interface CodeDay {
  codeId: string;
  /** Since the first UTC day of the batch. */
  day: number;
  count: number;
  /** Visits of the same code in this batch on earlier days. */
  earlier: number;
}

interface CodeTotal {
  codeId: string;
  scans: number;
  clicks: number;
  others: number;
  lastMs: number | null;
}

const HOUR_COLUMNS: (keyof CodeHour)[] = [
  'codeId',
  'hour',
  'source',
  'class',
  'device',
  'os',
  'language',
  'country',
  'count',
];
const DAY_COLUMNS: (keyof CodeDay)[] = ['codeId', 'day', 'count', 'earlier'];
const TOTAL_COLUMNS: (keyof CodeTotal)[] = ['codeId', 'scans', 'clicks', 'others', 'lastMs'];
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** Adds visits of codes up to hours, days and totals. `from` is the first hour of the batch in milliseconds. */
export function createCodeCounts(from: number) {
  const fromHour = from / HOUR_MS;
  const firstDay = Math.floor(fromHour / DAY_HOURS);
  const hours = new Map<string, CodeHour>();
  const days = new Map<string, CodeDay>();
  const totals = new Map<string, CodeTotal>();

  /** The row of the hour this visit went into. */
  function add(codeId: string, visit: JournaledVisit): CodeHour {
    const isHuman = visit.class === 'human';
    const hour = Math.floor(visit.at / HOUR_MS);
    const row = hourOf(codeId, hour, visit, isHuman);
    row.count += 1;
    const total = totalOf(codeId);
    if (!isHuman) total.others += 1;
    else {
      total[visit.source === 'scan' ? 'scans' : 'clicks'] += 1;
      total.lastMs = Math.max(total.lastMs ?? 0, visit.at - from);
      dayRowOf(codeId, Math.floor(hour / DAY_HOURS)).count += 1;
    }
    return row;
  }

  function hourOf(codeId: string, hour: number, visit: JournaledVisit, isHuman: boolean): CodeHour {
    const { source, class: kind, device, os, language, country } = visit;
    const of = isHuman ? ` ${device} ${os} ${language} ${country}` : '';
    const key = `${codeId} ${hour} ${source} ${kind}${of}`;
    let row = hours.get(key);
    if (!row) {
      row = {
        codeId,
        hour: hour - fromHour,
        source,
        class: kind,
        device: isHuman ? device : '',
        os: isHuman ? os : '',
        language: isHuman ? language : '',
        country: isHuman ? country : '',
        count: 0,
        line: 0,
      };
      hours.set(key, row);
    }
    return row;
  }

  function dayRowOf(codeId: string, number: number): CodeDay {
    const key = `${codeId} ${number}`;
    let row = days.get(key);
    if (!row) {
      row = { codeId, day: number - firstDay, count: 0, earlier: 0 };
      days.set(key, row);
    }
    return row;
  }

  function totalOf(codeId: string): CodeTotal {
    let row = totals.get(codeId);
    if (!row) {
      row = { codeId, scans: 0, clicks: 0, others: 0, lastMs: null };
      totals.set(codeId, row);
    }
    return row;
  }

  /** All rows in the order in which they are written. */
  function finish() {
    const hourRows = sorted(hours);
    hourRows.forEach((row, position) => {
      row.line = position + 1;
    });
    return {
      hours: hourRows,
      columns: [
        ...columns(hourRows, HOUR_COLUMNS),
        ...columns(withEarlier(sorted(days)), DAY_COLUMNS),
        ...columns(sorted(totals), TOTAL_COLUMNS),
      ],
    };
  }

  return { add, finish };
}

function withEarlier(rows: CodeDay[]): CodeDay[] {
  rows.forEach((row, position) => {
    const before = rows[position - 1];
    if (before?.codeId === row.codeId) row.earlier = before.earlier + before.count;
  });
  return rows;
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

const ACCOUNT_HOUR_COLUMNS: (keyof AccountHour)[] = [
  'accountId',
  'hour',
  'scans',
  'clicks',
  'bots',
  'previews',
  'owner',
];
const FACET_COLUMNS: (keyof AccountFacet)[] = ['accountId', 'day', 'facet', 'value', 'visits'];
const COLUMN_OF = { bot: 'bots', preview: 'previews', owner: 'owner' } as const;

/** Adds the hours of codes up to hours and days of their accounts. `firstHour` is the hour of the day of hour 0. */
export function countAccounts(
  codeHours: CodeHour[],
  owners: ReadonlyMap<string, CodeOwner>,
  firstHour: number,
): string[] {
  const hours = new Map<string, AccountHour>();
  const facets = new Map<string, AccountFacet>();
  for (const row of codeHours) {
    const owner = owners.get(row.codeId);
    if (!owner) continue;
    const { accountId } = owner;
    const hourly = hourOf(hours, accountId, row.hour);
    hourly[row.class === 'human' ? (row.source === 'scan' ? 'scans' : 'clicks') : COLUMN_OF[row.class]] +=
      row.count;
    if (row.class !== 'human') continue;
    const day = Math.floor((firstHour + row.hour) / 24);
    add(facets, accountId, day, 'country', row.country, row.count);
    add(facets, accountId, day, 'device', row.device, row.count);
    add(facets, accountId, day, 'language', row.language, row.count);
    add(facets, accountId, day, 'os', row.os, row.count);
    add(facets, accountId, day, 'type', owner.type, row.count);
  }
  return [...columns(sorted(hours), ACCOUNT_HOUR_COLUMNS), ...columns(sorted(facets), FACET_COLUMNS)];
}

function hourOf(hours: Map<string, AccountHour>, accountId: string, hour: number): AccountHour {
  const key = `${accountId} ${inOrder(hour)}`;
  let row = hours.get(key);
  if (!row) {
    row = { accountId, hour, scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
    hours.set(key, row);
  }
  return row;
}

function add(
  facets: Map<string, AccountFacet>,
  accountId: string,
  day: number,
  facet: string,
  value: string,
  visits: number,
): void {
  const key = `${accountId} ${inOrder(day)} ${facet} ${value}`;
  const row = facets.get(key);
  if (row) row.visits += visits;
  else facets.set(key, { accountId, day, facet, value, visits });
}

/** Sorts as text the way it sorts as a number. */
function inOrder(number: number): string {
  return String(number).padStart(6, '0');
}

/** The rows under a key each, in the order of their keys. */
export function sorted<Row>(rows: Map<string, Row>): Row[] {
  const keys = [...rows.keys()].sort();
  return keys.map((key) => rows.get(key) as Row);
}

/** An array literal of PostgreSQL. The values hold no quote, comma or brace: ids, numbers and words of our own. */
export function list<Row>(rows: Row[], read: (row: Row) => string | number | boolean | null): string {
  let text = '{';
  let comma = '';
  for (const row of rows) {
    const value = read(row);
    text += `${comma}${value === null ? 'NULL' : value === '' ? '""' : value}`;
    comma = ',';
  }
  return `${text}}`;
}

/** An array literal for each of these columns. */
export function columns<Row>(rows: Row[], names: (keyof Row)[]): string[] {
  return names.map((name) => list(rows, (row) => row[name] as string | number | null));
}
