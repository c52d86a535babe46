import { and, desc, eq, isNotNull, or, sql } from 'drizzle-orm';
import type { MailKind } from '#contract/mail-settings';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import type { Deps } from '#host/http/deps';
import { type NewMail, queueMail } from '#host/mail/outbox';
import { EXPIRED } from '#host/mail/store';
import type { InsightTemplate } from '#host/mail/texts';
import { isMailOn, makeOffToken, readMailSettings } from './mail-settings';
import { type AccountRow, findProfile } from './store';

interface InsightMail {
  kind: MailKind;
  template: InsightTemplate;
  values: NewMail['values'];
  /** Names the occasion: each is told once. */
  dedupeKey: string;
}

/**
 * Queues a mail of insight with the link that switches its kind off. Does nothing if the owner does not want mails of
 * this kind or may not get them, or was told before.
 */
export async function queueInsightMail(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  account: AccountRow,
  { kind, values, ...mail }: InsightMail,
  now: Date,
): Promise<void> {
  if (!(await getsMail(orm, account, kind, now))) return;
  const token = makeOffToken({ accountId: account.id, kind }, settings.jwtSecrets);
  const offUrl = `${settings.publicUrl}/mails-off?token=${token}`;
  await queueMail(
    orm,
    { to: account.email, locale: account.locale, values: { ...values, offUrl }, ...mail },
    now,
  );
}

/**
 * Whether the owner of an account gets mails of a kind: it is on, the address is known to work, and figures are paid
 * for; that a destination fails is told in any case, as printed codes lead on.
 */
export async function getsMail(
  orm: Orm,
  { id, email, lastLoginAt }: AccountRow,
  kind: MailKind,
  now: Date,
): Promise<boolean> {
  // Whoever never signed in may not be the owner of the address.
  if (lastLoginAt === null || !isMailOn(await readMailSettings(orm, id), kind)) return false;
  if (await isRefused(orm, email)) return false;
  if (kind === 'destinationFailing') return true;
  const profile = await findProfile(orm, id, now);
  return profile?.subscription?.running ?? false;
}

/** Whether the last mail to an address was refused for good. */
async function isRefused(orm: Orm, to: string): Promise<boolean> {
  const [last] = await orm
    .select({ givenUpAt: mails.givenUpAt, lastError: mails.lastError })
    .from(mails)
    .where(
      and(
        eq(sql`lower(${mails.to})`, to.toLowerCase()),
        or(isNotNull(mails.sentAt), isNotNull(mails.givenUpAt)),
      ),
    )
    .orderBy(desc(mails.place))
    .limit(1);
  return last !== undefined && last.givenUpAt !== null && last.lastError !== EXPIRED;
}
