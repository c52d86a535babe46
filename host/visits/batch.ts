import type { Statement } from '#host/db/client';

/**
 * Visits that are put into the journal together, as batch number `number` of a lane. Whoever sends batches of a lane
 * sends them in the order of their numbers.
 */
export interface Batch {
  lane: string;
  number: number;
  size: number;
  /** Moment of the first visit, in milliseconds since the epoch. */
  at: number;
  /** See host/visits/kept-visit.ts. */
  visits: string;
}

/**
 * The lane's row says which batch of the lane came in last: when a connection broke and nobody knows whether the batch
 * committed, sending it again either finds its number taken and writes nothing, or waits for the first attempt to end
 * and then decides. So a batch is kept exactly once. Nothing is answered where it was kept before.
 */
const KEEP = `
with lane as (
  insert into visit_lanes (id, batch, at) values ($1::uuid, $2::bigint, $3::timestamptz)
  on conflict (id) do update set batch = excluded.batch, at = excluded.at where visit_lanes.batch < $6::bigint
  returning id
)
insert into visit_journal (size, visits) select $4::int, $5 from lane returning id`;

/**
 * The statement that puts a batch into the journal. With `first`, it holds the batches of the lane from that number on,
 * and nothing is kept where any of them was.
 */
export function keepBatch({ lane, number, at, size, visits }: Batch, first = number): Statement {
  return {
    name: 'visits_keep',
    text: KEEP,
    values: [lane, number, new Date(at).toISOString(), size, visits, first],
  };
}
