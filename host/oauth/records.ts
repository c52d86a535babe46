import type { Adapter, AdapterPayload } from 'oidc-provider';
import { DAY_MS } from '#contract/time';
import { audit } from '#host/accounts/audit';
import * as store from '#host/accounts/oauth-records';
import type { Deps } from '#host/http/deps';

type RecordDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

/** Refuses a code or token that was used by another request at the same time. */
export type Refuse = (why: string) => Error;

/**
 * Where the authorization server keeps its things: in our database, by the clock of the product, and without the codes
 * and tokens themselves. It has no sessions of its own: who signs in is a matter of the website.
 */
export function createRecords(deps: RecordDeps, refuse: Refuse): (kind: string) => Adapter {
  return (kind) => (kind === 'Session' ? NO_SESSIONS : recordsOf(kind, deps, refuse));
}

function recordsOf(kind: string, { db, clock, log }: RecordDeps, refuse: Refuse): Adapter {
  const { orm } = db;

  /** When a record ends; extends its grant if that lives as long as this. */
  async function endOf(keyId: string | null, seconds: number | undefined): Promise<Date> {
    const now = clock.now();
    if (kind === 'Client') return store.endOfUnusedClient(now);
    const wanted = new Date(now.getTime() + (seconds ?? 0) * 1000);
    if (kind !== 'RefreshToken' || keyId === null) return wanted;
    const end = await store.extendGrant(orm, keyId, wanted);
    if (!end) throw refuse('the grant has ended');
    return end;
  }

  return {
    async upsert(id, { jti: _secret, ...payload }, seconds) {
      const keyId = kind === 'Grant' ? id : (payload.grantId ?? null);
      await store.storeRecord(orm, { kind, id, keyId, payload, expiresAt: await endOf(keyId, seconds) });
    },

    async find(id) {
      const found = await store.findRecord(orm, kind, id, clock.now());
      if (!found) return undefined;
      const payload = found.payload as AdapterPayload;
      if (kind === 'Client') return payload;
      return { ...payload, jti: id, ...(found.consumedAt && { consumed: true }) };
    },

    async consume(id) {
      if (await store.consumeRecord(orm, kind, id, clock.now())) return;
      const found = await store.findRecord(orm, kind, id, clock.now());
      const { grantId } = (found?.payload ?? {}) as AdapterPayload;
      if (grantId) await endGrant(grantId);
      throw refuse('already used');
    },

    async destroy(id) {
      if (kind === 'Grant') return endGrant(id);
      await store.dropRecord(orm, kind, id);
    },

    async revokeByGrantId(grantId) {
      await store.dropRecordsOf(orm, kind, grantId);
    },

    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };

  async function endGrant(id: string): Promise<void> {
    const accountId = await store.dropGrant(orm, id);
    if (accountId) audit(log, 'grant_ended', { account: accountId, reason: 'client' });
  }
}

const NO_SESSIONS: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Seconds that things live; a grant and its refresh tokens never longer than `extendGrant` says. */
export const LIFE_SECONDS = {
  Interaction: 60 * 60,
  AuthorizationCode: 60,
  AccessToken: 60 * 60,
  RefreshToken: (30 * DAY_MS) / 1000,
  Grant: (366 * DAY_MS) / 1000,
  Session: 60,
  IdToken: 60,
};
