import { and, eq, isNull } from 'drizzle-orm';
import { dropKeys } from '#host/accounts/api-keys';
import { clearAuditReasons } from '#host/accounts/audit-log';
import { eraseMailSettings } from '#host/accounts/mail-settings';
import { dropPasskeys } from '#host/accounts/passkeys';
import { eraseAddresses } from '#host/addresses/store';
import { eraseCodes, findVisitedLinks } from '#host/codes/code/erase';
import { eraseStyles } from '#host/codes/looks/store';
import {
  accounts,
  activities,
  identities,
  knownDevices,
  mailTokens,
  sessions,
} from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { forgetMailsTo } from '#host/mail/store';
import { forgetMailsOfChanges } from '#host/sign-in/email-change';
import { dropSecondFactor } from '#host/sign-in/second-factor';
import { eraseSharedReports } from '#host/statistics/shared-reports';
import { eraseVisits } from '#host/visits/count/retention';
import { eraseWebhooks } from '#host/webhooks/store';

/**
 * Erases an account in one transaction (GDPR art. 17): names, addresses, activities, sessions, links, mails, figures
 * and the contents of its codes. With `keepsLinks`, codes for links and apps that were visited within the last year go on
 * leading to their targets. An empty row stays for invoices and printed slugs that refer to it. The `onAccountDeleted`
 * hooks run first, in the same transaction; if one throws, nothing happens. Calls `isDue` with the account locked;
 * returns false if it says no, or if the account is already erased.
 */
export async function eraseAccount(
  { db, settings, onAccountDeleted }: Pick<Deps, 'db' | 'settings' | 'onAccountDeleted'>,
  id: string,
  { now, keepsLinks, isDue }: { now: Date; keepsLinks: boolean; isDue?: (orm: Orm) => Promise<boolean> },
): Promise<boolean> {
  return db.orm.transaction(async (transaction) => {
    const [locked] = await transaction
      .select({ email: accounts.email, locale: accounts.locale })
      .from(accounts)
      .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)))
      .for('update');
    if (!locked || (isDue && !(await isDue(transaction)))) return false;
    const { email, locale } = locked;
    for (const erase of onAccountDeleted) await erase(transaction, id, now);
    const leadingIds = keepsLinks ? await findVisitedLinks(transaction, id, now) : [];
    await eraseVisits(transaction, id, now);
    await eraseCodes(transaction, id, { now, leadingIds });
    await eraseWebhooks(transaction, id);
    await eraseStyles(transaction, id);
    await eraseAddresses(transaction, id);
    await forgetMailsOfChanges(transaction, id);
    await eraseOwnRows(transaction, id);
    await transaction
      .update(accounts)
      .set({
        email: '',
        firstName: '',
        lastName: '',
        publicName: '',
        pendingEmail: null,
        timeZone: null,
        passwordHash: null,
        codeCount: 0,
        archivedCount: 0,
        deletedAt: now,
      })
      .where(eq(accounts.id, id));
    await clearAuditReasons(transaction, id);
    await forgetMailsTo(transaction, email);
    const values = { appName: settings.appName };
    await queueMail(
      transaction,
      { to: email, locale, template: 'account-mail.account_deleted', values },
      now,
    );
    return true;
  });
}

async function eraseOwnRows(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(activities).where(eq(activities.accountId, accountId));
  await orm.delete(identities).where(eq(identities.accountId, accountId));
  await orm.delete(sessions).where(eq(sessions.accountId, accountId));
  await orm.delete(knownDevices).where(eq(knownDevices.accountId, accountId));
  await orm.delete(mailTokens).where(eq(mailTokens.accountId, accountId));
  await eraseMailSettings(orm, accountId);
  await eraseSharedReports(orm, accountId);
  await dropSecondFactor(orm, accountId);
  await dropPasskeys(orm, accountId);
  await dropKeys(orm, accountId);
}
