import type { Statement } from '#host/db/client';
import { countAccounts } from './batch-accounts';
import { type CodeHour, createCodeCounts } from './batch-codes';
import { columns, list, sorted } from './batch-rows';
import type { CodeOwner } from './code-owners';
import { COUNT } from './count-statement';
import type { KeptVisit } from './kept-visit';
import { dayOf } from './visitors';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Types whose page tells of what a visitor does there. */
const MEASURED = ['text', 'email'];
const RAW_COLUMNS: (keyof KeptVisit)[] = [
  'source',
  'class',
  'outcome',
  'device',
  'os',
  'language',
  'country',
];

/** How many rows of the journal, and how many accounts, the statement found; it counts only when it found them all. */
export interface Found {
  rows: number;
  accounts: number;
}

/**
 * The statement that counts these visits, which are those of the journal's rows `ids`. A visit of a code that has no
 * owner counts as one of an address nobody made.
 */
export function countVisits(
  ids: number[],
  visits: KeptVisit[],
  owners: ReadonlyMap<string, CodeOwner>,
): { statement: Statement; expected: Found } {
  const from = Math.floor(Math.min(...visits.map(({ at }) => at)) / HOUR_MS) * HOUR_MS;
  const firstDay = Math.floor(from / DAY_MS);
  const codes = createCodeCounts(from);
  const people = new Map<string, Person>();
  const accounts = new Set<string>();
  for (const visit of visits) {
    const { codeId, at, visitor } = visit;
    const owner = codeId === null ? undefined : owners.get(codeId);
    if (codeId === null || !owner) continue;
    accounts.add(owner.accountId);
    const hour = codes.add(codeId, visit);
    if (visitor === null) continue;
    const day = Math.floor(at / DAY_MS) - firstDay;
    const key = `${codeId} ${day} ${visitor}`;
    if (!people.has(key)) people.set(key, { codeId, day, visitor, hour, owner });
  }
  const counted = codes.finish();
  return {
    statement: {
      name: 'visits_count',
      text: COUNT,
      values: [
        `{${ids.join()}}`,
        `{${[...accounts].join()}}`,
        new Date(from).toISOString(),
        dayOf(from),
        list(visits, ({ codeId }) => (codeId !== null && owners.has(codeId) ? codeId : null)),
        list(visits, ({ at }) => at - from),
        ...columns(visits, RAW_COLUMNS),
        ...personColumns(sorted(people)),
        ...counted.columns,
        ...countAccounts(counted.hours, owners, (from - firstDay * DAY_MS) / HOUR_MS),
      ],
    },
    expected: { rows: ids.length, accounts: accounts.size },
  };
}

interface Person {
  codeId: string;
  /** Since the first UTC day of these visits. */
  day: number;
  visitor: string;
  /** Of the first visit. */
  hour: CodeHour;
  owner: CodeOwner;
}

function personColumns(people: Person[]): string[] {
  return [
    list(people, ({ codeId }) => codeId),
    list(people, ({ day }) => day),
    list(people, ({ visitor }) => visitor),
    list(people, ({ hour }) => hour.line),
    list(people, ({ owner }) => owner.accountId),
    list(people, ({ owner }) => MEASURED.includes(owner.type)),
  ];
}
