import { createHmac } from 'node:crypto';
import { and, eq, isNull, lt, lte, min, or, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { z } from 'zod';
import { MINUTE_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { sandboxEvents, sandboxObjects } from '#host/db/payments.tables';
import { type ProviderEvent, WebhookRefused } from '#host/http/payment-provider';
import { isSameText } from '#runtime/same-text';
import { makeId, TURNS_AT, turnsBy } from './objects';

const BATCH = 20;
const CLAIM_SECONDS = 30;
/** Retries for about three days, like the big providers. */
const RETRY_MS = [1, 5, 30, 120, 300, 600, 600, 600, 600, 600, 600].map((minutes) => minutes * MINUTE_MS);

export const WEBHOOK_PATH = '/api/webhooks/payments';

const EVENT_TYPES = {
  'setup.succeeded': 'setup',
  'charge.succeeded': 'charge',
  'charge.failed': 'charge',
  'refund.updated': 'refund',
  'customer.updated': 'customer',
} as const;
type EventType = keyof typeof EVENT_TYPES;

const Body = z.object({
  id: z.string().max(100),
  type: z.enum(Object.keys(EVENT_TYPES) as [EventType, ...EventType[]]),
  data: z.object({ object: z.object({ id: z.string().max(100) }) }),
});

/** Queues a webhook in the transaction of what it reports. */
export async function emit(
  orm: Orm,
  random: (bytes: number) => Uint8Array,
  type: EventType,
  objectId: string,
  now: Date,
): Promise<void> {
  const id = makeId('event', random);
  await orm.insert(sandboxEvents).values({ id, type, objectId, createdAt: now, dueAt: now });
}

export function readBody(rawBody: string): ProviderEvent {
  const parsed = Body.safeParse(parseJson(rawBody));
  if (!parsed.success) throw new WebhookRefused('unknown format');
  const { id, type, data } = parsed.data;
  return { id, type, object: EVENT_TYPES[type], objectId: data.object.id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends every due webhook through `post`, which returns the status; anything but 2xx is retried later. */
export async function deliverEvents(
  orm: Orm,
  post: (body: string) => Promise<number>,
  log: Logger,
  now: Date,
): Promise<void> {
  let claimed: (typeof sandboxEvents.$inferSelect)[];
  do {
    claimed = await claimDueEvents(orm, now);
    for (const event of claimed) {
      const { id, type, objectId, createdAt, attempts } = event;
      const created = Math.floor(createdAt.getTime() / 1000);
      const body = JSON.stringify({ id, type, created, data: { object: { id: objectId } } });
      const status = await post(body).catch((error: unknown) => {
        log.error({ err: error, event: id }, 'sandbox webhook failed');
        return 0;
      });
      const retryMs = RETRY_MS[attempts - 1];
      const isDone = (status >= 200 && status < 300) || retryMs === undefined;
      await orm
        .update(sandboxEvents)
        .set(
          isDone
            ? { deliveredAt: now, claimedUntil: null }
            : { dueAt: new Date(now.getTime() + retryMs), claimedUntil: null },
        )
        .where(eq(sandboxEvents.id, id));
    }
  } while (claimed.length === BATCH);
}

async function claimDueEvents(orm: Orm, now: Date) {
  const due = orm
    .select({ id: sandboxEvents.id })
    .from(sandboxEvents)
    .where(
      and(
        lte(sandboxEvents.dueAt, now),
        isNull(sandboxEvents.deliveredAt),
        or(isNull(sandboxEvents.claimedUntil), lt(sandboxEvents.claimedUntil, sql`now()`)),
      ),
    )
    .orderBy(sandboxEvents.dueAt)
    .limit(BATCH)
    .for('update', { skipLocked: true });
  return orm
    .update(sandboxEvents)
    .set({
      attempts: sql`${sandboxEvents.attempts} + 1`,
      claimedUntil: sql`now() + make_interval(secs => ${CLAIM_SECONDS})`,
    })
    .where(sql`${sandboxEvents.id} = any(array(${due}))`)
    .returning();
}

/** When the next webhook falls due, or the next charge or refund changes state, at most `until`. */
export async function nextDeliveryAt(orm: Orm, until: Date): Promise<Date | null> {
  const nextEvent = orm
    .select({ at: min(sandboxEvents.dueAt) })
    .from(sandboxEvents)
    .where(and(isNull(sandboxEvents.deliveredAt), lte(sandboxEvents.dueAt, until)));
  const nextChange = orm
    .select({ at: min(TURNS_AT) })
    .from(sandboxObjects)
    .where(turnsBy(until));
  const [row] = await readRows<{ ms: number | null }>(
    orm,
    sql`select (extract(epoch from least((${nextEvent}), (${nextChange}))) * 1000)::float8 as ms`,
  );
  return row?.ms == null ? null : new Date(row.ms);
}

export const SIGNATURE_HEADER = 'sandbox-signature';
/** Older webhooks are refused, so that a copied one cannot be replayed forever. */
const TOLERANCE_SECONDS = 300;

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over time and raw body, as the big providers do. */
export function signBody(rawBody: string, secret: string, now: Date): string {
  const time = Math.floor(now.getTime() / 1000);
  return `t=${time},v1=${macOf(rawBody, secret, time)}`;
}

/** Throws `WebhookRefused` unless a signature made with one of the secrets is valid and within five minutes of now. */
export function verifyBody(rawBody: string, header: string | undefined, secrets: string[], now: Date): void {
  const parts = (header ?? '').split(',').map((part) => part.split('=', 2));
  const time = Number(parts.find(([name]) => name === 't')?.[1] ?? Number.NaN);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, mac = '']) => mac);
  if (!Number.isSafeInteger(time) || signatures.length === 0) throw new WebhookRefused('no signature');
  const isSigned = secrets.some((secret) => {
    const mac = macOf(rawBody, secret, time);
    return signatures.some((signature) => isSameText(signature, mac));
  });
  if (!isSigned) throw new WebhookRefused('wrong signature');
  if (Math.abs(now.getTime() / 1000 - time) > TOLERANCE_SECONDS) throw new WebhookRefused('too old');
}

function macOf(rawBody: string, secret: string, time: number): string {
  return createHmac('sha256', secret).update(`${time}.${rawBody}`).digest('hex');
}
