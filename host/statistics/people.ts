import { sql } from 'drizzle-orm';
import { isMeasured } from '#contract/contents/contents';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { Period } from './period';
import type { Tally } from './tally';

/** Persons and engagements by UTC day; days without any are left out. */
export interface PeopleDay {
  day: string;
  visitors: number;
  /** Those of them whose engagements can be measured. */
  measured: number;
  engaged: number;
  engagements: number;
}

export async function readPeople(orm: Orm, accountId: string, { from, to }: Period): Promise<PeopleDay[]> {
  return readRows(
    orm,
    sql`select day::text, visitors, measured, engaged, engagements from account_days
    where account_id = ${accountId} and day between ${from} and ${to}`,
  );
}

/** The same for one code, whose visitors are counted with its visits. */
export async function readPeopleOfCode(
  orm: Orm,
  code: { id: string; type: string },
  { from, to }: Period,
  { visitors }: Tally,
): Promise<PeopleDay[]> {
  const [[beacon], engaged] = await Promise.all([
    readRows<{ since: string }>(orm, sql`select since::text from code_beacons where code_id = ${code.id}`),
    readRows<Pick<PeopleDay, 'day' | 'engaged' | 'engagements'>>(
      orm,
      sql`select day::text, engaged, engagements from code_engagements
      where code_id = ${code.id} and day between ${from} and ${to}`,
    ),
  ]);
  const hasPage = isMeasured(code.type);
  const engagementsByDay = new Map(engaged.map((row) => [row.day, row]));
  return [...visitors].map(([day, count]) => ({
    day,
    visitors: count,
    measured: hasPage || (beacon && day >= beacon.since) ? count : 0,
    engaged: engagementsByDay.get(day)?.engaged ?? 0,
    engagements: engagementsByDay.get(day)?.engagements ?? 0,
  }));
}
