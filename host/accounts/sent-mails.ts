import { desc, eq, sql } from 'drizzle-orm';
import type { MailRecord } from '#contract/account-records';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';

/** Which mails went to an address and when, newest first. Not what they said: links in them may still work. */
export async function listMailsTo(orm: Orm, email: string): Promise<MailRecord[]> {
  const rows = await orm
    .select({
      kind: mails.template,
      to: mails.to,
      createdAt: mails.createdAt,
      sentAt: mails.sentAt,
      givenUpAt: mails.givenUpAt,
    })
    .from(mails)
    .where(eq(sql`lower(${mails.to})`, email.toLowerCase()))
    .orderBy(desc(mails.place))
    .limit(10_000);
  return rows.map(({ createdAt, sentAt, givenUpAt, ...mail }) => ({
    ...mail,
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
    givenUpAt: givenUpAt?.toISOString() ?? null,
  }));
}
