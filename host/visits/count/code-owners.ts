import type { Database } from '#host/db/client';
import { createGrowingCache } from '#host/http/growing-cache';
import type { CodeOwner } from './aggregate';
import type { JournaledVisit } from './journal';

export interface CodeOwners {
  /** The owners of the visited codes, by code. Codes that do not exist or whose account was erased are left out. */
  of(visits: JournaledVisit[]): Promise<ReadonlyMap<string, CodeOwner>>;
  /** For when one of the owners may have been erased. */
  invalidate(codeIds: Iterable<string>): void;
}

interface Row {
  id: string;
  account_id: string;
  type: string;
}

const SELECT_OWNERS = `select codes.id, account_id, type from codes join accounts on accounts.id = account_id
  where codes.id = any ($1::uuid[]) and accounts.deleted_at is null`;

/** Keeps the owners that it has read in memory. */
export function createCodeOwners({ query }: Pick<Database, 'query'>): CodeOwners {
  const cachedOwners = createGrowingCache<string, CodeOwner>(50_000);

  return {
    async of(visits) {
      const owners = new Map<string, CodeOwner>();
      const unknown = new Set<string>();
      for (const { codeId } of visits) {
        if (codeId === null || owners.has(codeId)) continue;
        const owner = cachedOwners.get(codeId);
        if (owner) owners.set(codeId, owner);
        else unknown.add(codeId);
      }
      if (unknown.size === 0) return owners;
      const rows = await query<Row>({ name: 'code_owners', text: SELECT_OWNERS, values: [[...unknown]] });
      for (const { id, account_id, type } of rows) {
        const owner = { accountId: account_id, type };
        owners.set(id, owner);
        cachedOwners.set(id, owner);
      }
      return owners;
    },
    invalidate(codeIds) {
      for (const id of codeIds) cachedOwners.delete(id);
    },
  };
}
