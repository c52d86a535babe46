import type { Database } from '#host/db/client';
import type { JournaledVisit } from './journal';

const FIND = 'select id from visit_ids where id = any ($1::text[])';

/**
 * Of visits that may have been recorded twice, those that are not counted yet, each once. The gateway resends a visit if
 * its host died before it responded, and that host may have recorded it anyway: whichever is counted first stores the id.
 */
export async function findUncounted(
  { query }: Pick<Database, 'query'>,
  visits: JournaledVisit[],
): Promise<JournaledVisit[]> {
  const ids = visits.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return visits;
  const rows = await query<{ id: string }>({ name: 'visits_find_counted', text: FIND, values: [ids] });
  const counted = new Set(rows.map(({ id }) => id));
  return visits.filter(({ id }) => {
    if (id === undefined) return true;
    const isCounted = counted.has(id);
    counted.add(id);
    return !isCounted;
  });
}
