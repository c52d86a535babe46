import type { Body } from '#contract/call';
import type { getStatistics } from '#contract/statistics';
import { findTag } from '#host/codes/tags.store';
import type { Orm } from '#host/db/client';
import { ApiError } from '#host/http/errors';
import { type PeopleDay, readPeople, readPeopleOfCode } from './people.store';
import { type Period, readPeriod } from './period';
import { findSelectedCode, type SelectedCode } from './ranked-codes.store';
import { countTag } from './tag-figures.store';
import type { Tally } from './tally';
import { tallyVisits } from './visits.store';

type SelectedTag = NonNullable<Awaited<ReturnType<typeof findTag>>>;
export type StatisticsFilter = Body<typeof getStatistics>;

/** A validated query, whose code or tag exists. */
export interface ResolvedFilter {
  accountId: string;
  period: Period;
  /** Null for all codes, or for the ones with a tag. */
  code: SelectedCode | null;
  tag: SelectedTag | null;
}

/** Throws `not_found` for a code of another account or a tag that no code has, `invalid` for a future range. */
export async function readFilter(
  orm: Orm,
  accountId: string,
  filter: StatisticsFilter,
  now: Date,
): Promise<ResolvedFilter> {
  const period = readPeriod(filter, now);
  const code = filter.code === null ? null : await findSelectedCode(orm, accountId, filter.code);
  if (filter.code !== null && !code) throw new ApiError('not_found');
  const tag = code || !filter.tag ? null : await findTag(orm, accountId, filter.tag);
  if (filter.tag && !code && !tag) throw new ApiError('not_found');
  return { accountId, period, code, tag };
}

/** Visits and persons of a period, which all its figures are computed from. */
export async function countPeriod(
  orm: Orm,
  { accountId, period, code, tag }: ResolvedFilter,
): Promise<{ tally: Tally; people: PeopleDay[] }> {
  if (tag) return countTag(orm, tag.id, period);
  const tallying = tallyVisits(orm, { accountId, codeId: code?.id ?? null }, period);
  const [tally, people] = await Promise.all([
    tallying,
    code
      ? tallying.then((tally) => readPeopleOfCode(orm, code, period, tally))
      : readPeople(orm, accountId, period),
  ]);
  return { tally, people };
}
