import { LRUCache } from 'lru-cache';
import type { Database } from '#host/db/client';
import type { KeptVisit } from './kept-visit';

/** Whose figures a code's visits go into. Neither account nor type of a code ever changes; accounts may be erased. */
export interface CodeOwner {
  accountId: string;
  type: string;
}

export interface CodeOwners {
  /** The owners of all codes among these visits. A code that is not there has none, nor has one of an erased account. */
  of(visits: KeptVisit[]): Promise<ReadonlyMap<string, CodeOwner>>;
  /** The owners of these codes are read again the next time: one of them may have been erased. */
  forget(codeIds: Iterable<string>): void;
}

interface Row {
  id: string;
  account_id: string;
  type: string;
}

const SELECT = `select codes.id, account_id, type from codes join accounts on accounts.id = account_id
  where codes.id = any ($1::uuid[]) and accounts.deleted_at is null`;

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
    forget(codeIds) {
      for (const id of codeIds) known.delete(id);
    },
  };
}
