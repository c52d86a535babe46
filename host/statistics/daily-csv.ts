import type { DAILY_COLUMNS } from '#contract/exports';
import type { Orm } from '#host/db/client';
import { countPeriod, type ResolvedFilter } from './figures';
import type { PeopleDay } from './people.store';
import { hoursOf } from './period';

type Row = Record<(typeof DAILY_COLUMNS)[number], string | number | null>;

const NOBODY: Omit<PeopleDay, 'day'> = { visitors: 0, measured: 0, engaged: 0, engagements: 0 };

/** A row for each date of the period; their sums equal the figures of the statistics. */
export async function listDayRows(orm: Orm, filter: ResolvedFilter): Promise<Row[]> {
  const { tally, people } = await countPeriod(orm, filter);
  const peopleByDay = new Map(people.map((row) => [row.day, row]));
  const isMeasured = people.some(({ measured }) => measured > 0);
  return filter.period.dates.map((day, position) => {
    const counts = tally.days[position] ?? { scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
    const { visitors, measured, engaged, engagements } = peopleByDay.get(day) ?? NOBODY;
    return {
      day,
      hours: hoursOf(filter.period, position),
      visits: counts.scans + counts.clicks,
      ...counts,
      unique_visitors: visitors,
      measured_visitors: measured,
      distinct_engagements: isMeasured ? engaged : null,
      engagements: isMeasured ? engagements : null,
    };
  });
}
