import { and, arrayContains, eq, isNull } from 'drizzle-orm';
import { isOfInterest, leadsTo } from '#host/codes/code/destination';
import { type NewEvent, recordEvents } from '#host/codes/code/webhook-events';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { webhooks } from '#host/db/webhooks.tables';

/** Writes messages to the webhooks of everybody whose codes lead to a destination that has just turned out to fail. */
export async function recordFailures(
  orm: Orm,
  destination: { key: string; address: string },
  at: Date,
): Promise<void> {
  const isTold = and(
    eq(webhooks.accountId, codes.accountId),
    isNull(webhooks.offAt),
    arrayContains(webhooks.events, ['code.destination_failed']),
  );
  const failing = await orm
    .selectDistinct({ accountId: codes.accountId, codeId: codes.id })
    .from(codes)
    .innerJoin(webhooks, isTold)
    .where(and(leadsTo(destination, at), isOfInterest(at)));
  const byAccount = new Map<string, NewEvent[]>();
  for (const { accountId, codeId } of failing) {
    const events = byAccount.get(accountId) ?? [];
    events.push({ type: 'code.destination_failed', codeId, at });
    byAccount.set(accountId, events);
  }
  for (const [accountId, events] of byAccount) await recordEvents(orm, accountId, events);
}
