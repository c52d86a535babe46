import { randomUUID } from 'node:crypto';
import { cursorOf, done } from '#contract/call';
import { foldLabel } from '#contract/labels';
import { DAY_MS } from '#contract/time';
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listPublicDeliveries,
  listWebhooks,
  readWebhook,
  resendDelivery,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  WEBHOOKS_PER_ACCOUNT,
  type WebhookWithSecret,
} from '#contract/webhooks';
import { notifyOwner } from '#host/accounts/activities';
import { audit } from '#host/accounts/audit';
import { findTag } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { tried } from '#host/db/tried';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import { uuidOf } from '#host/http/idempotency';
import type { Router } from '#host/http/mount';
import { addressProblem } from '#host/http/public-request';
import { consumeRateLimit, hourly } from '#host/http/rate-limit';
import { headerOf } from '#host/http/request-headers';
import { isExpected } from '#host/http/versions';
import * as deliveries from './deliveries';
import { lockCaller, requireProof } from './owner';
import { makeSealed, openSecret } from './secrets';
import * as store from './store';
import { turnOff } from './turn-off';
import { scheduleVisits } from './visits';

/** For how long messages are still signed with the secret from before a rotation. */
const OVERLAP_MS = DAY_MS;
const MANUAL_PER_ACCOUNT = hourly('webhook-manual', 100);
/** Of each of these its owner gets a mail. */
const CHANGES_PER_ACCOUNT = hourly('webhook-change', 60);

const told = ({ id, url }: store.WebhookRow) => ({ url, path: `/user/settings/webhooks/${id}` });

export function mountWebhooks({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const present = (message: deliveries.Message) => deliveries.presentDelivery(message, settings.shortUrl);

  mount(listWebhooks, async ({ caller }) => {
    const rows = await store.listWebhooks(db.orm, caller.accountId, caller.tag);
    return { data: rows.map(store.presentWebhook) };
  });

  mount(createWebhook, async ({ caller, body, isTrial, once, context, log, clientIp }) => {
    const { key, url, description, events } = body;
    requirePublic(url);
    const tag = await readTag(caller, body.tag);
    await requireProof(deps, { caller, log, clientIp }, body);
    const now = clock.now();
    if (!isTrial) await consumeRateLimit(db.orm, CHANGES_PER_ACCOUNT, caller.accountId, now);
    const wanted = { url, description, events: [...new Set(events)], tag };
    const formKey = once ?? (key ? formKeyOf(key, wanted) : null);
    const create = async (orm: Orm) => {
      const owner = await lockCaller(orm, caller, now);
      const present = await store.listWebhooks(orm, caller.accountId);
      const repeated = formKey && present.find((row) => row.formKey === formKey);
      if (repeated) return repeated;
      if (present.length >= WEBHOOKS_PER_ACCOUNT) throw new ApiError('webhook_limit');
      const id = randomUUID();
      const row = {
        id,
        accountId: caller.accountId,
        ...wanted,
        sealed: makeSealed(deps, id),
        earlierSealed: null,
        earlierEndsAt: null,
        offAt: null,
        offReason: null,
        isSlow: false,
        createdAt: now,
        updatedAt: now,
        formKey,
      };
      await store.insertWebhook(orm, row);
      await scheduleVisits(orm, row, now);
      await notifyOwner(orm, deps, owner, { ...told(row), change: 'webhook_made' }, now);
      return row;
    };
    const made = await tried(db.orm, isTrial, (orm) => orm.transaction(create));
    if (!isTrial) audit(log, 'webhook_made', { account: caller.accountId, clientIp });
    context.header('ETag', store.versionOf(made));
    return { data: withSecret(made) };
  });

  mount(readWebhook, async ({ caller, params, context }) => {
    const row = await requireWebhook(db.orm, caller, params.id);
    context.header('ETag', store.versionOf(row));
    return { data: withSecret(row) };
  });

  mount(updateWebhook, async ({ caller, params, body, context, log, clientIp }) => {
    if (body.url !== undefined) requirePublic(body.url);
    const tag = body.tag === undefined ? undefined : await readTag(caller, body.tag);
    const { url } = await requireWebhook(db.orm, caller, params.id);
    const now = clock.now();
    const isMoved = body.url !== undefined && body.url !== url;
    if (isMoved) {
      await requireProof(deps, { caller, log, clientIp }, body);
      await consumeRateLimit(db.orm, CHANGES_PER_ACCOUNT, caller.accountId, now);
    }
    const changed = await db.orm.transaction(async (orm) => {
      const owner = await lockCaller(orm, caller, now);
      const before = await requireWebhook(orm, caller, params.id, { isLocked: true });
      requireVersion(before, headerOf(context, 'if-match'));
      if (!isMoved && body.url !== undefined && body.url !== before.url)
        throw new ApiError('precondition_failed');
      const { enabled, events, currentPassword: _, code: __, ...others } = body;
      const values = { ...others, tag, events: events && [...new Set(events)], updatedAt: now };
      await store.storeWebhook(orm, before.id, values);
      if (enabled === false) await turnOff(orm, deps, before, 'owner', now);
      // What was written while it was switched off is not told later.
      if (enabled && before.offAt) await deliveries.dropWaiting(orm, before.id);
      if (enabled) await store.storeWebhook(orm, before.id, { offAt: null, offReason: null });
      if (tag && foldLabel(tag) !== foldLabel(before.tag ?? '')) {
        const found = await findTag(orm, caller.accountId, tag);
        await deliveries.dropWaiting(orm, before.id, { id: found?.id ?? 0, label: tag });
      }
      const after = await requireWebhook(orm, caller, params.id);
      await scheduleVisits(orm, after, now);
      if (isMoved) await notifyOwner(orm, deps, owner, { ...told(after), change: 'webhook_moved' }, now);
      return after;
    });
    if (isMoved) audit(log, 'webhook_moved', { account: caller.accountId, clientIp });
    context.header('ETag', store.versionOf(changed));
    return { data: store.presentWebhook(changed) };
  });

  mount(deleteWebhook, async ({ caller, params, context, log, clientIp }) => {
    await db.orm.transaction(async (orm) => {
      const row = await requireWebhook(orm, caller, params.id, { isLocked: true });
      requireVersion(row, headerOf(context, 'if-match'));
      await store.dropWebhook(orm, caller.accountId, row.id);
    });
    audit(log, 'webhook_deleted', { account: caller.accountId, clientIp });
    return done('webhook_deleted');
  });

  mount(rotateWebhook, async ({ caller, params, body, log, clientIp }) => {
    await requireWebhook(db.orm, caller, params.id);
    await requireProof(deps, { caller, log, clientIp }, body);
    const now = clock.now();
    const rotated = await db.orm.transaction(async (orm) => {
      const owner = await lockCaller(orm, caller, now);
      const before = await requireWebhook(orm, caller, params.id, { isLocked: true });
      const leftMs = (before.earlierEndsAt?.getTime() ?? 0) - now.getTime();
      if (leftMs > 0)
        throw new ApiError('rotated_recently', { retryAfterSeconds: Math.ceil(leftMs / 1_000) });
      const values = {
        sealed: makeSealed(deps, before.id),
        earlierSealed: before.sealed,
        earlierEndsAt: new Date(now.getTime() + OVERLAP_MS),
        updatedAt: now,
      };
      await store.storeWebhook(orm, before.id, values);
      await notifyOwner(orm, deps, owner, { ...told(before), change: 'webhook_rotated' }, now);
      return { ...before, ...values };
    });
    audit(log, 'webhook_rotated', { account: caller.accountId, clientIp });
    return { data: withSecret(rotated) };
  });

  mount(testWebhook, async ({ caller, params, once }) => {
    const { id, accountId } = await requireWebhook(db.orm, caller, params.id);
    const sent = once && (await deliveries.findDelivery(db.orm, id, uuidOf(once)));
    if (sent) return { data: present(sent) };
    const now = clock.now();
    await consumeRateLimit(db.orm, MANUAL_PER_ACCOUNT, accountId, now);
    const event = {
      id: randomUUID(),
      accountId,
      type: 'test' as const,
      at: now,
      codeId: null,
      slug: null,
      data: { webhook: { id } },
    };
    const row = await db.orm.transaction(async (orm) => {
      await deliveries.insertEvent(orm, event);
      return deliveries.insertManual(orm, { webhookId: id, event, now, once });
    });
    return { data: present({ delivery: row, event }) };
  });

  mount(listDeliveries, async ({ caller, params, query }) => {
    const { id } = await requireWebhook(db.orm, caller, params.id);
    const { rows, total } = await deliveries.listDeliveries(db.orm, id, caller.tag, query);
    const data = rows.map(present);
    return { data, meta: { ...query, total } };
  });

  mount(listPublicDeliveries, async ({ caller, params, query: { limit, cursor: before } }) => {
    const { id } = await requireWebhook(db.orm, caller, params.id);
    const { rows, next } = await deliveries.listBefore(db.orm, id, caller.tag, { before, limit });
    const data = rows.map(present);
    return { data, hasMore: next !== null, nextCursor: next === null ? null : cursorOf(next) };
  });

  mount(resendDelivery, async ({ caller, params, once }) => {
    const { id, accountId } = await requireWebhook(db.orm, caller, params.id);
    const sent = once && (await deliveries.findDelivery(db.orm, id, uuidOf(once)));
    if (sent) return { data: present(sent) };
    const found = await deliveries.findDelivery(db.orm, id, params.delivery, caller.tag);
    if (!found) throw new ApiError('not_found');
    const { event } = found;
    const now = clock.now();
    await consumeRateLimit(db.orm, MANUAL_PER_ACCOUNT, accountId, now);
    const row = await deliveries.insertManual(db.orm, { webhookId: id, event, now, once });
    return { data: present({ delivery: row, event }) };
  });

  async function requireWebhook(
    orm: Orm,
    { accountId }: Caller,
    id: string,
    options?: { isLocked: boolean },
  ): Promise<store.WebhookRow> {
    const row = await store.findWebhook(orm, accountId, id, options);
    if (!row) throw new ApiError('not_found');
    return row;
  }

  /** The tag as its codes have it. A caller who is limited to a tag can only have that one. */
  async function readTag({ accountId, tag: limit }: Caller, entered: string | null): Promise<string | null> {
    if (limit) {
      if (entered !== null && foldLabel(entered) !== foldLabel(limit.label))
        throw invalidField('tag', 'tag_of_key');
      return limit.label;
    }
    return entered && ((await findTag(db.orm, accountId, entered))?.label ?? entered);
  }

  function withSecret(row: store.WebhookRow): WebhookWithSecret {
    const { earlierEndsAt } = row;
    const isOverlapping = earlierEndsAt !== null && earlierEndsAt > clock.now();
    return {
      ...store.presentWebhook(row),
      secret: openSecret(deps, row.id, row.sealed),
      earlierSecretUntil: isOverlapping ? earlierEndsAt.toISOString() : null,
    };
  }
}

function requirePublic(url: string): void {
  const problem = addressProblem(url);
  if (problem) throw invalidField('url', `webhook_url_${problem}`);
}

function requireVersion(row: store.WebhookRow, ifMatch: string | undefined): void {
  if (!isExpected(ifMatch, store.versionOf(row))) throw new ApiError('precondition_failed');
}
