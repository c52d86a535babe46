import { and, eq, isNull, max, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import { type Pace, takeTurn } from '#host/http/pacing';

const OVERALL: Pace = { name: 'stranger-mail', burst: 40, spacingSeconds: 6 };
const PER_NETWORK: Pace = { name: 'stranger-mail-ip', burst: 10, spacingSeconds: 2 * 60 };

/**
 * When to send a mail that somebody unknown caused to an address that is no customer's: at once, unless many such mails
 * were caused lately, by the network of `clientIp` or by all together. Later ones are put off further and further,
 * because a receipt may be late but not missing. Call it in the transaction that queues the mail.
 */
export async function strangerMailDueAt(
  orm: Orm,
  { to, clientIp }: { to: string; clientIp?: string },
  now: Date,
): Promise<Date> {
  const turns = [
    clientIp ? await takeTurn(orm, PER_NETWORK, clientIp, now) : now,
    await takeTurn(orm, OVERALL, 'all', now),
    // A mail that is due makes earlier ones to its address due as well.
    (await lastDueAt(orm, to)) ?? now,
  ];
  return new Date(Math.max(...turns.map(Number)));
}

async function lastDueAt(orm: Orm, to: string): Promise<Date | null> {
  const [row] = await orm
    .select({ at: max(mails.dueAt) })
    .from(mails)
    .where(and(eq(sql`lower(${mails.to})`, to.toLowerCase()), isNull(mails.sentAt), isNull(mails.givenUpAt)));
  return row?.at ?? null;
}
