import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import { type Attempt, attempt, isAccepted, nextAttempt } from './attempt';
import {
  type ClaimedDelivery,
  claimDelivery,
  findDelivery,
  postponeOthers,
  releaseDelivery,
  storeAttempt,
} from './deliveries';
import { bodyOf, headersOf, messageIdOf } from './message';
import { openSecrets } from './secrets';
import { findWebhook, storeWebhook } from './store';
import { turnOff } from './turn-off';

/** Messages that a node sends at the same time: in all, to webhooks that were slow before, to one, and of one account. */
const AT_ONCE = 24;
const SLOW_AT_ONCE = 12;
const PER_WEBHOOK = 2;
const PER_ACCOUNT = 6;
/** Outlasts an attempt. */
const CLAIM_SECONDS = 45;
/** How often new messages are looked for while others are on their way. */
const POLL_MS = 250;
const SLOW_MS = 3_000;

/**
 * Sends every message that is due, and those that fall due while others are on their way. Any number of nodes may do so at
 * the same time; a message whose node dies is sent again when its claim has run out.
 */
export function createWebhookWorker(deps: Deps): (stopping?: AbortSignal) => Promise<void> {
  return async (stopping) => {
    const running = new Map<ClaimedDelivery, Promise<void>>();
    try {
      while (!stopping?.aborted) {
        const busy = [...running.keys()];
        const claimed = await claimNext(deps, busy);
        if (claimed) {
          const work = deliver(deps, claimed, stopping).finally(() => running.delete(claimed));
          running.set(claimed, work);
        } else if (busy.length === 0) return;
        // One that is over meanwhile may have kept another about its code from being claimed.
        else if (running.size === busy.length) await firstOf(running.values(), stopping);
      }
    } finally {
      await Promise.all(running.values());
    }
  };
}

async function claimNext(deps: Deps, running: ClaimedDelivery[]): Promise<ClaimedDelivery | null> {
  if (running.length >= AT_ONCE) return null;
  const busy = {
    webhooks: manyOf(running, 'webhookId', PER_WEBHOOK),
    accounts: manyOf(running, 'accountId', PER_ACCOUNT),
    takesSlow: running.filter(({ isSlow }) => isSlow).length < SLOW_AT_ONCE,
  };
  return claimDelivery(deps.db.orm, busy, { now: deps.clock.now(), seconds: CLAIM_SECONDS });
}

/** Those that have as many messages on their way as they may. */
function manyOf(running: ClaimedDelivery[], name: 'webhookId' | 'accountId', limit: number): string[] {
  const counts = new Map<string, number>();
  for (const { [name]: id } of running) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([id]) => id);
}

async function firstOf(running: Iterable<Promise<void>>, stopping: AbortSignal | undefined): Promise<void> {
  const waiting = new AbortController();
  const leave = () => waiting.abort();
  stopping?.addEventListener('abort', leave, { once: true });
  const poll = delay(POLL_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([poll, ...running]);
  stopping?.removeEventListener('abort', leave);
  waiting.abort();
}

/** Sends a message and stores how it went; an error of ours does not keep other messages from being sent. */
async function deliver(
  deps: Deps,
  claimed: ClaimedDelivery,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const { orm } = deps.db;
  try {
    const { webhookId, accountId, id } = claimed;
    const [webhook, found] = await Promise.all([
      findWebhook(orm, accountId, webhookId),
      findDelivery(orm, webhookId, id),
    ]);
    if (!webhook || !found) return;
    const { event } = found;
    // Written while it was switched off.
    if (webhook.offAt && !claimed.isManual) {
      await storeAttempt(orm, claimed, { status: 'failed' });
      return;
    }
    const now = deps.clock.now();
    const message = { id: messageIdOf(event), body: bodyOf(event, deps.settings.shortUrl) };
    const { appName, publicUrl } = deps.settings;
    const headers = {
      ...headersOf(message, openSecrets(deps, webhook, now), now),
      'User-Agent': `${appName.replace(/[^\w-]/g, '')}Webhooks/1.0 (+${publicUrl}/developers#webhooks)`,
    };
    const made = await attempt(deps, { url: webhook.url, headers, body: message.body }, stopping);
    await record(deps, claimed, made);
  } catch (thrown) {
    if (stopping?.aborted) await releaseDelivery(orm, claimed).catch(() => undefined);
    // Its claim runs out, and another attempt follows.
    else deps.log.error({ err: thrown, delivery: claimed.id }, 'message to a webhook not sent');
  }
}

async function record(deps: Deps, claimed: ClaimedDelivery, made: Attempt): Promise<void> {
  const now = deps.clock.now();
  const { response, problem, ms, excerpt, retryAt } = made;
  const { webhookId, accountId, isManual } = claimed;
  const isDelivered = isAccepted(made);
  const failures = claimed.failures + (isDelivered ? 0 : 1);
  const isGone = response === 410;
  const isOver = isDelivered || isManual || isGone;
  const next = isOver ? null : nextAttempt(failures, made, { now, random: deps.random });
  await deps.db.orm.transaction(async (orm) => {
    const webhook = await findWebhook(orm, accountId, webhookId, { isLocked: true });
    const stored = await storeAttempt(orm, claimed, {
      triedAt: now,
      response,
      problem,
      ms,
      excerpt,
      failures,
      status: isDelivered ? 'delivered' : next ? 'waiting' : 'failed',
      ...(next && { dueAt: next }),
    });
    if (!webhook || !stored) return;
    const isSlow = !isDelivered || ms > SLOW_MS;
    if (isSlow !== webhook.isSlow) await storeWebhook(orm, webhookId, { isSlow });
    if (isGone) return turnOff(orm, deps, webhook, 'gone', now);
    if (isDelivered || isManual) return;
    if (!next) return turnOff(orm, deps, webhook, 'failed', now);
    if (retryAt) await postponeOthers(orm, { webhookId }, retryAt);
    if (stored.codeId) await postponeOthers(orm, { webhookId, codeId: stored.codeId }, next);
  });
}
