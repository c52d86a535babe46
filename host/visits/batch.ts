import type { Statement } from '#host/db/client';
import { writeKept } from './kept-visit';
import type { Visit } from './visit';
import type { NumberVisitor } from './visitors';

/**
 * The lane's row says which batch of the lane came in last: when a connection broke and nobody knows whether the batch
 * committed, sending it again either finds its number taken and writes nothing, or waits for the first attempt to end
 * and then decides. So a batch is kept exactly once. Nothing is answered where it was kept before.
 */
const KEEP = `
with lane as (
  insert into visit_lanes (id, batch, at) values ($1::uuid, $2::bigint, $3::timestamptz)
  on conflict (id) do update set batch = excluded.batch, at = excluded.at where visit_lanes.batch < excluded.batch
  returning id
)
insert into visit_journal (size, visits) select $4::int, $5 from lane returning id`;

/** The statement that puts these visits into the journal as batch number `batch` of a lane. */
export function keepBatch(lane: string, batch: number, visits: Visit[], numberOf: NumberVisitor): Statement {
  const at = new Date(visits[0]?.at ?? 0).toISOString();
  return {
    name: 'visits_keep',
    text: KEEP,
    values: [lane, batch, at, visits.length, writeKept(visits, numberOf)],
  };
}
