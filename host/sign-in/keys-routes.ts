import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  changeKey,
  KEY_OVERLAPS,
  KEYS_PER_ACCOUNT,
  listKeys,
  makeKey,
  readKey,
  renewKey,
  revokeKey,
} from '#contract/api-keys';
import { done } from '#contract/call';
import { DAY_MS } from '#contract/time';
import { notifyOwner, recordActivity } from '#host/accounts/activities';
import * as store from '#host/accounts/api-keys';
import { audit } from '#host/accounts/audit';
import { hashOfSecret, makeSecret } from '#host/accounts/key-secrets';
import { findTag } from '#host/codes/code/tags';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { lockOwnAccount, requireCallerIsOwner } from './reauthentication';

const YEAR_DAYS = 365;
const told = ({ name }: store.KeyRow) => ({ name, path: '/user/settings/keys' });

export function mountKeys({ mount }: Router, deps: Deps): void {
  const { db, clock, random } = deps;

  mount(listKeys, async ({ caller }) => {
    const now = clock.now();
    return {
      data: (await store.listKeys(db.orm, caller.accountId)).map((row) => store.presentKey(row, now)),
    };
  });

  mount(readKey, async ({ caller }) => ({
    data: { permission: caller.key?.permission ?? 'read', tag: caller.tag?.label ?? null },
  }));

  mount(makeKey, async ({ caller, body, log, clientIp }) => {
    await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    const { name, permission, origins, days } = body;
    const known = body.tag === null ? null : await findTag(db.orm, caller.accountId, body.tag);
    const tag = known?.label ?? body.tag;
    const now = clock.now();
    const fresh = newSecret();
    const formKey = body.key ? formKeyOf(body.key, { name, permission, tag, origins, days }) : null;
    const made = await db.orm.transaction(async (transaction): Promise<store.KeyRow> => {
      const owner = await lockOwnAccount(transaction, caller, now);
      const keys = await store.listKeys(transaction, owner.id);
      const repeated = formKey && keys.find((row) => row.formKey === formKey);
      if (repeated) {
        await store.changeKey(transaction, { id: repeated.id, ...fresh.stored });
        return { ...repeated, ...fresh.stored };
      }
      if (keys.filter((row) => row.clientId === null).length >= KEYS_PER_ACCOUNT)
        throw new ApiError('conflict');
      const row = {
        id: randomUUID(),
        accountId: owner.id,
        name,
        permission,
        tag,
        origins,
        ...fresh.stored,
        earlierHash: null,
        earlierLastFour: null,
        earlierExpiresAt: null,
        createdAt: now,
        expiresAt: days === null ? null : new Date(now.getTime() + days * DAY_MS),
        days,
        lastUsedAt: null,
        formKey,
        clientId: null,
        clientHost: null,
        resource: null,
      };
      await store.insertKey(transaction, row);
      await notifyOwner(transaction, deps, owner, { ...told(row), change: 'key_made' }, now);
      return row;
    });
    audit(log, 'key_made', { account: caller.accountId, clientIp });
    return { data: { ...store.presentKey(made, now), secret: fresh.secret } };
  });

  mount(changeKey, async ({ caller, params, body, log, clientIp }) => {
    await requireKey(caller.accountId, params.id);
    await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    const { name, origins } = body;
    const now = clock.now();
    const { row, isSame } = await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, now);
      const before = await store.findKey(transaction, owner.id, params.id);
      if (!before) throw new ApiError('not_found');
      const row = { ...before, name, origins };
      const isSame = isDeepStrictEqual(row, before);
      if (isSame) return { row, isSame };
      await store.changeKey(transaction, { id: row.id, name, origins });
      await notifyOwner(transaction, deps, owner, { ...told(row), change: 'key_changed' }, now);
      return { row, isSame };
    });
    if (!isSame) audit(log, 'key_changed', { account: caller.accountId, clientIp });
    return { data: store.presentKey(row, now) };
  });

  mount(renewKey, async ({ caller, params, body, log, clientIp }) => {
    await requireKey(caller.accountId, params.id);
    await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    const now = clock.now();
    const fresh = newSecret();
    const formKey = body.key ? formKeyOf(body.key, { id: params.id, overlap: body.overlap }) : null;
    const renewed = await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, now);
      const before = await store.findKey(transaction, owner.id, params.id);
      if (!before) throw new ApiError('not_found');
      const isRepeated = formKey !== null && before.formKey === formKey;
      const row = {
        ...before,
        ...(isRepeated ? {} : renewal(before, body.overlap, now)),
        ...fresh.stored,
        formKey,
      };
      await store.changeKey(transaction, row);
      if (!isRepeated)
        await notifyOwner(transaction, deps, owner, { ...told(row), change: 'key_renewed' }, now);
      return row;
    });
    audit(log, 'key_renewed', { account: caller.accountId, clientIp });
    return { data: { ...store.presentKey(renewed, now), secret: fresh.secret } };
  });

  mount(revokeKey, async ({ caller, params, log, clientIp }) => {
    const change = await db.orm.transaction(async (transaction) => {
      const dropped = await store.dropKey(transaction, caller.accountId, params.id);
      if (!dropped) throw new ApiError('not_found');
      const change = dropped.isGrant ? 'grant_ended' : 'key_revoked';
      await recordActivity(transaction, caller.accountId, change, clock.now());
      return change;
    });
    const event = change === 'grant_ended' ? change : 'keys_revoked';
    audit(log, event, { account: caller.accountId, clientIp, reason: 'one' });
    return done(change);
  });

  /** Throws `not_found` for a connected program too, which has no secret and is used from no web page. */
  async function requireKey(accountId: string, id: string): Promise<void> {
    const key = await store.findKey(db.orm, accountId, id);
    if (!key || key.clientId !== null) throw new ApiError('not_found');
  }

  function newSecret() {
    const secret = makeSecret(random);
    return { secret, stored: { hash: hashOfSecret(secret) ?? '', lastFour: secret.slice(-4) } };
  }
}

/** The present secret becomes the earlier one, which never lives longer than it would have. */
function renewal(before: store.KeyRow, overlap: keyof typeof KEY_OVERLAPS, now: Date): Partial<store.KeyRow> {
  const { hash, lastFour, expiresAt } = before;
  const days = daysOf(before);
  const until = Math.min(
    now.getTime() + KEY_OVERLAPS[overlap] * 1_000,
    expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const isOver = until <= now.getTime();
  return {
    earlierHash: isOver ? null : hash,
    earlierLastFour: isOver ? null : lastFour,
    earlierExpiresAt: isOver ? null : new Date(until),
    expiresAt: days === null ? null : new Date(now.getTime() + days * DAY_MS),
    days,
  };
}

/** Of a key that an earlier release made its times tell: that one renewed all for a year. */
function daysOf({ days, createdAt, expiresAt }: store.KeyRow): number | null {
  if (days !== null || expiresAt === null) return days;
  const lived = (expiresAt.getTime() - createdAt.getTime()) / DAY_MS;
  return Number.isInteger(lived) ? lived : YEAR_DAYS;
}
