import { done } from '#contract/call';
import { changeMailSettings, getMailSettings, readMailOffLink, switchMailOff } from '#contract/mail-settings';
import {
  isMailOn,
  lockMailSettings,
  readMailSettings,
  readOffToken,
  storeMailSettings,
  switchOff,
} from '#host/accounts/mail-settings';
import { lockAccount } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, type RateLimit } from '#host/http/rate-limit';
import { beginFirstScans } from './first-scan-mail';
import { scheduleInsightMails } from './jobs';

/** Providers of mail send the clicks of many readers from a few addresses. */
const OFF_PER_IP: RateLimit = { name: 'mails-off-ip', points: 600, windowSeconds: 60 * 60 };

/** Which mails of insight an account gets, and the links in them that switch them off without signing in. */
export function mountMailSettings({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(getMailSettings, async ({ caller }) => ({ data: await readMailSettings(db.orm, caller.accountId) }));

  mount(changeMailSettings, async ({ caller, body }) => {
    const now = clock.now();
    await db.orm.transaction(async (transaction) => {
      const account = await lockAccount(transaction, caller.accountId);
      if (!account) throw new ApiError('unauthenticated');
      const before = await lockMailSettings(transaction, account.id);
      await storeMailSettings(transaction, account.id, body);
      if (body.firstScan && !before.firstScan) await beginFirstScans(transaction, account.id);
      await scheduleInsightMails(transaction, account, body, now);
    });
    return done('mail_settings_changed');
  });

  mount(readMailOffLink, async ({ body, clientIp }) => {
    const { accountId, kind } = await readLink(body.token, clientIp);
    return { data: { kind, isOn: isMailOn(await readMailSettings(db.orm, accountId), kind) } };
  });

  mount(switchMailOff, async ({ body, clientIp }) => {
    const { accountId, kind } = await readLink(body.token, clientIp);
    await db.orm.transaction(async (transaction) => {
      // An account that was erased gets no mails anyway.
      if (await lockAccount(transaction, accountId)) await switchOff(transaction, accountId, kind);
    });
    return done('mails_switched_off');
  });

  async function readLink(token: string, clientIp: string) {
    await consumeRateLimit(db.orm, OFF_PER_IP, clientIp, clock.now());
    const link = readOffToken(token, settings.jwtSecrets);
    if (!link) throw invalidField('token', 'token_unknown');
    return link;
  }
}
