import { LRUCache } from 'lru-cache';
import type { Database } from '#host/db/client';

interface LiveOwners {
  /** The accounts that these codes belong to. */
  ofCodes(codeIds: string[]): Promise<Set<string>>;
  /** Those of the accounts whose figures changed since this was asked last; all that were never asked for. */
  withNewFigures(accountIds: string[]): Promise<Set<string>>;
}

const OWNERS = 'select id, account_id from codes where id = any ($1::uuid[])';
/** Changes with every visit and every engagement, and also when the hours of a day that is over are folded away. */
const FIGURES = `select account_id, (
    select coalesce(sum(scans + clicks + bots + previews + owner), 0)::bigint from account_hours h
    where h.account_id = asked.account_id
  ) + (
    select coalesce(sum(engagements), 0)::bigint from (
      select engagements from account_days d where d.account_id = asked.account_id order by day desc limit 2
    ) as latest
  ) as figures from unnest($1::uuid[]) as asked (account_id)`;

/** Says whose figures changed, without a look at the database for a code that is known. */
export function createLiveOwners({ query }: Pick<Database, 'query'>): LiveOwners {
  const accounts = new LRUCache<string, string>({ max: 50_000 });
  const figures = new LRUCache<string, number>({ max: 5_000 });

  return {
    async ofCodes(codeIds) {
      const unknown = codeIds.filter((id) => !accounts.has(id));
      if (unknown.length > 0) {
        const rows = await query<{ id: string; account_id: string }>({
          name: 'live_owners',
          text: OWNERS,
          values: [unknown],
        });
        for (const { id, account_id } of rows) accounts.set(id, account_id);
      }
      return new Set(codeIds.flatMap((id) => accounts.get(id) ?? []));
    },
    async withNewFigures(accountIds) {
      const rows = await query<{ account_id: string; figures: number }>({
        name: 'live_figures',
        text: FIGURES,
        values: [accountIds],
      });
      const changed = rows.filter((row) => figures.get(row.account_id) !== row.figures);
      for (const row of changed) figures.set(row.account_id, row.figures);
      return new Set(changed.map((row) => row.account_id));
    },
  };
}
