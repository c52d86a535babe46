import type { CodeHour } from './batch-codes';
import { columns, sorted } from './batch-rows';
import type { CodeOwner } from './code-owners';

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

const HOUR_COLUMNS: (keyof AccountHour)[] = [
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
  return [...columns(sorted(hours), HOUR_COLUMNS), ...columns(sorted(facets), FACET_COLUMNS)];
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
