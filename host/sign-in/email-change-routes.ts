import { done } from '#contract/call';
import { cancelEmailChange, confirmEmail, resendEmailChange } from '#contract/recovery';
import {
  EMAIL_CHANGE_PER_ACCOUNT,
  EMAIL_CHANGE_PER_MAILBOX,
  emailKey,
  LINK_PER_IP,
} from '#host/accounts/account-limits';
import { consumeAttempt, requireHuman } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { allowReplay, type Click, readLink } from '#host/accounts/mail-tokens';
import { findAccount } from '#host/accounts/store';
import type { Authenticate } from '#host/http/caller';
import { findCaller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import * as emailChange from './email-change';
import { renewToken } from './open-session';
import { lockOwnAccount } from './reauthentication';

export function mountEmailChange({ mount }: Router, deps: Deps, authenticate: Authenticate): void {
  const { db, clock } = deps;

  mount(confirmEmail, async ({ body, log, clientIp, context }) => {
    const requester = { log, clientIp };
    const click: Click = {
      token: body.token,
      purpose: 'email_change',
      isDone: ({ email }, link) => email === link.email,
    };
    // If the link is opened while signed in, that session stays; signing in is not required.
    const caller = await findCaller(context, authenticate);
    await allowReplay(deps, requester, click, async () => {
      const { link } = await readLink(deps, requester, body.token, 'email_change');
      await emailChange.confirmEmailChange(db.orm, link, caller?.sessionId, clock.now());
      audit(log, 'email_changed', { account: link.accountId, clientIp });
    });
    return { ...done('email_confirmed'), session: caller && (await renewToken(deps, caller)) };
  });

  mount(resendEmailChange, async ({ caller, body, log, clientIp }) => {
    const { account, pendingEmail } = await pendingOf(caller.accountId);
    const who = { account: account.id, clientIp };
    await consumeAttempt(deps, LINK_PER_IP, clientIp, { log, ...who });
    const attempt = { proof: body, action: 'resend_email_change', about: account.id } as const;
    await requireHuman(deps, attempt, { log, ...who });
    await consumeAttempt(deps, EMAIL_CHANGE_PER_ACCOUNT, account.id, { log, ...who });
    await consumeAttempt(deps, EMAIL_CHANGE_PER_MAILBOX, emailKey(pendingEmail), { log, ...who });
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      // Cancelled or confirmed in the meantime.
      if (owner.pendingEmail !== pendingEmail) throw new ApiError('not_found');
      await emailChange.mailConfirmation(transaction, deps, owner, pendingEmail, clock.now());
    });
    audit(log, 'email_change_asked', { ...who, reason: 'resend' });
    return done('email_change_sent');
  });

  mount(cancelEmailChange, async ({ caller, log, clientIp }) => {
    const { account, pendingEmail } = await pendingOf(caller.accountId);
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      // Confirmed or cancelled in the meantime.
      if (owner.pendingEmail !== pendingEmail) throw new ApiError('not_found');
      await emailChange.cancelEmailChange(transaction, owner.id, clock.now());
    });
    audit(log, 'email_change_cancelled', { account: account.id, clientIp });
    return done('email_change_cancelled');
  });

  async function pendingOf(accountId: string) {
    const account = await findAccount(db.orm, accountId);
    if (!account?.pendingEmail) throw new ApiError('not_found');
    return { account, pendingEmail: account.pendingEmail };
  }
}
