import { LOCALES, type Locale } from '#contract/locales';
import { findAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateTimeText, fillText } from '#host/invoices/wording';
import { type NewMail, queueMail } from '#host/mail/outbox';
import { BILLING_TEXTS, type BillingTemplate } from '#host/mail/texts';

interface BillingMail {
  template: BillingTemplate;
  /** In the recipient's language and time zone. */
  values: (locale: Locale, timeZone: string) => NewMail['values'];
  dedupeKey?: string;
  attachments?: NewMail['attachments'];
  usefulUntil?: Date;
  dueAt?: Date;
}

/** Queues a mail to the owner of an account; does nothing once the account is erased. */
export async function mailOwner(orm: Orm, accountId: string, mail: BillingMail, now: Date): Promise<void> {
  const account = await findAccount(orm, accountId);
  if (account) await mailTo(orm, account, mail, now);
}

export async function mailTo(
  orm: Orm,
  { email, locale, timeZone }: { email: string; locale: Locale; timeZone?: string | null },
  { values, ...mail }: BillingMail,
  now: Date,
): Promise<void> {
  await queueMail(
    orm,
    { to: email, locale, values: values(locale, timeZone ?? LOCALES[locale].zone), ...mail },
    now,
  );
}

export function manageUrl({ settings }: Pick<Deps, 'settings'>): string {
  return `${settings.publicUrl}/user/subscription`;
}

/** During the retries of a renewal access stays open; when a first charge fails, the trial is already over. */
export function accessText(
  accessUntil: Date,
  { locale, timeZone }: { locale: Locale; timeZone: string },
  now: Date,
): string {
  const { access_open, access_closed } = BILLING_TEXTS[locale];
  return fillText(accessUntil > now ? access_open : access_closed, {
    date: dateTimeText(accessUntil, locale, timeZone),
  });
}
