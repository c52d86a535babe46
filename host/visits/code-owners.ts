import { LRUCache } from 'lru-cache';
import type { Database } from '#host/db/client';
import type { Visit } from './batch';

/** Whose figures a code's visits go into. Neither account nor type of a code ever changes. */
export interface CodeOwner {
  accountId: string;
  type: string;
}

export interface CodeOwners {
  /** The owners of all codes among these visits; a code that is not there has none. */
  of(visits: Visit[]): Promise<ReadonlyMap<string, CodeOwner>>;
}

interface Row {
  id: string;
  account_id: string;
  type: string;
}

const SELECT = 'select id, account_id, type from codes where id = any ($1::uuid[])';

export function createCodeOwners({ query }: Pick<Database, 'query'>): CodeOwners {
  const known = new LRUCache<string, CodeOwner>({ max: 50_000 });

  return {
    async of(visits) {
      const owners = new Map<string, CodeOwner>();
      const unknown = new Set<string>();
      for (const { codeId } of visits) {
        if (codeId === null || owners.has(codeId)) continue;
        const owner = known.get(codeId);
        if (owner) owners.set(codeId, owner);
        else unknown.add(codeId);
      }
      if (unknown.size === 0) return owners;
      const rows = await query<Row>({ name: 'code_owners', text: SELECT, values: [[...unknown]] });
      for (const { id, account_id, type } of rows) {
        const owner = { accountId: account_id, type };
        owners.set(id, owner);
        known.set(id, owner);
      }
      return owners;
    },
  };
}
