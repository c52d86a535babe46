import { findLiveGrant, findLiveKey, markKeyUsed, type Resource } from '#host/accounts/api-keys';
import { hashOfSecret } from '#host/accounts/key-secrets';
import { hashOfRecord } from '#host/accounts/oauth-records';
import { findTag } from '#host/codes/code/tags';
import { isWithinTag } from '#host/codes/key-scope';
import { isKeySecret } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { KeyAccess } from '#host/http/key-calls';
import { consumeRateLimit } from '#host/http/rate-limit';

/** As the authorization server makes them; session tokens have dots. */
const ACCESS_TOKEN = /^[\w-]{43}$/;

/** Checks the secrets of API keys and access tokens, and what a key that is limited to a tag finds. */
export function createKeyAccess({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): KeyAccess {
  return {
    async authenticate(secret, resource) {
      const now = clock.now();
      const key = isKeySecret(secret) ? await byKey(secret, now) : await byToken(secret, resource, now);
      if (!key) throw new ApiError('unauthenticated');
      const { id, accountId, permission, tag: label, origins, email, accessUntil, position } = key;
      // The response does not wait for it.
      markKeyUsed(db.orm, key, now).catch((error: unknown) =>
        log.warn({ err: error }, 'the use of a key was not noted'),
      );
      return {
        accountId,
        sessionId: '',
        key: { id, permission, origins },
        tag: label === null ? null : { id: (await findTag(db.orm, accountId, label))?.id ?? 0, label },
        email,
        position,
        isSubscribed: accessUntil !== null && accessUntil > now,
      };
    },
    count: (keyId, limit) => consumeRateLimit(db.orm, limit, keyId, clock.now()),
    finds: (caller, path, id) => isWithinTag(db.orm, caller, path, id),
  };

  async function byKey(secret: string, now: Date) {
    const hash = hashOfSecret(secret);
    return hash === null ? null : findLiveKey(db.orm, hash, now);
  }

  async function byToken(token: string, resource: Resource, now: Date) {
    return ACCESS_TOKEN.test(token) ? findLiveGrant(db.orm, hashOfRecord(token), resource, now) : null;
  }
}
