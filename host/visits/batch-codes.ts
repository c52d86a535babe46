import { columns, sorted } from './batch-rows';
import type { KeptVisit } from './kept-visit';

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
  function add(codeId: string, visit: KeptVisit): CodeHour {
    const isHuman = visit.class === 'human';
    const hour = Math.floor(visit.at / HOUR_MS);
    const row = hourOf(codeId, hour, visit, isHuman);
    row.count += 1;
    const total = totalOf(codeId);
    if (!isHuman) total.others += 1;
    else {
      total[visit.source === 'scan' ? 'scans' : 'clicks'] += 1;
      total.lastMs = Math.max(total.lastMs ?? 0, visit.at - from);
      dayOf(codeId, Math.floor(hour / DAY_HOURS)).count += 1;
    }
    return row;
  }

  function hourOf(codeId: string, hour: number, visit: KeptVisit, isHuman: boolean): CodeHour {
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

  function dayOf(codeId: string, number: number): CodeDay {
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
