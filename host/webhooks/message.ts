import { Webhook } from 'standardwebhooks';
import type { CodeType } from '#contract/codes';
import { addressesOf } from '#host/codes/code/present';
import type { webhookEvents } from '#host/db/webhooks.tables';

export type EventRow = typeof webhookEvents.$inferSelect;

/** The same each time a message is sent, so that its receiver can tell that it comes again. */
export function messageIdOf({ id }: Pick<EventRow, 'id'>): string {
  return `msg_${id.replaceAll('-', '')}`;
}

/** The body of a message, the same each time it is sent. */
export function bodyOf({ type, at, slug, data }: EventRow, shortUrl: string): string {
  const { code, ...others } = data;
  const described = code as { type: CodeType } | undefined;
  const addresses = slug !== null && described ? addressesOf({ slug, type: described.type }, shortUrl) : {};
  const told = described ? { code: { ...described, ...addresses }, ...others } : others;
  return JSON.stringify({ type, timestamp: at.toISOString(), data: told });
}

/** The headers of a message that is sent now, signed with each of the secrets (Standard Webhooks 1.0). */
export function headersOf(
  message: { id: string; body: string },
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message.id, now, message.body))
      .join(' '),
  };
}
