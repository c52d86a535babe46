import type { CodeHealth, CodeVisits } from '#contract/code-visits';
import type { Orm } from '#host/db/client';
import { ApiError } from '#host/http/errors';
import { type CodeSums, findCodeSums, listLastVisits } from './code-visits.store';
import { ACTIVE_DAYS } from './codes.store';

const DAY_MS = 24 * 3_600_000;
const NEW_DAYS = 7;
const LAST_VISITS = 20;

/** How a code is doing. Throws `not_found` for a code of somebody else. */
export async function readCodeVisits(
  orm: Orm,
  accountId: string,
  id: string,
  now: Date,
): Promise<CodeVisits> {
  const code = await findCodeSums(orm, accountId, id);
  if (!code) throw new ApiError('not_found');
  const { scans, clicks, others, firstDay, lastAt } = code;
  const hasVisits = scans + clicks + others > 0;
  const visits = hasVisits ? await listLastVisits(orm, id, LAST_VISITS, now) : [];
  return {
    health: healthOf(code, now),
    total: scans + clicks,
    scans,
    clicks,
    others,
    firstDay,
    lastAt: lastAt?.toISOString() ?? null,
    visits: visits.map(({ at, ...visit }) => ({ at: at.toISOString(), ...visit })),
  };
}

function healthOf({ type, createdAt, lastAt }: CodeSums, now: Date): CodeHealth {
  const isWithin = (at: Date, days: number) => now.getTime() - at.getTime() <= days * DAY_MS;
  if (type === 'wifi') return 'uncounted';
  if (lastAt) return isWithin(lastAt, ACTIVE_DAYS) ? 'active' : 'quiet';
  return isWithin(createdAt, NEW_DAYS) ? 'new' : 'never';
}
