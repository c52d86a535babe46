import type { Logger } from 'pino';
import type { z } from 'zod';
import { done } from '#contract/call';
import { checkMailToken, forgotPassword, onboard, resendOnboarding, resetPassword } from '#contract/recovery';
import {
  addressKey,
  LINK_PER_IP,
  LINK_USE_PER_ACCOUNT,
  LINKS_PER_ADDRESS,
} from '#host/accounts/account-limits';
import { listKeys } from '#host/accounts/api-keys';
import { consumeAttempt, requireHuman } from '#host/accounts/attempts';
import { audit, emailDigest } from '#host/accounts/audit';
import { allowReplay, hashToken, hasPassword, readLink, useMailToken } from '#host/accounts/mail-tokens';
import { listPasskeys } from '#host/accounts/passkeys';
import { requireGoodPassword } from '#host/accounts/passwords';
import type { AccountRow } from '#host/accounts/store';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { passFirstFactor } from './first-factor';
import { requestLink } from './link-requests';
import { setPassword } from './set-password';
import { setUpAccount } from './set-up-account';

export function mountRecovery({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(onboard, async ({ body, log, clientIp, context }) => {
    const requester = { log, clientIp };
    const click = {
      token: body.token,
      purpose: 'onboarding',
      isDone: hasPassword(deps, body.password, clientIp),
    } as const;
    const signedIn = await allowReplay(deps, requester, click, () => setUpAccount(deps, requester, body));
    const userAgent = context.req.header('user-agent') ?? '';
    const entry = { method: 'onboarding', remember: false, userAgent, devices: body.devices } as const;
    const entered = await passFirstFactor(deps, signedIn, { ...entry, log, clientIp });
    // The account was set up, but its password was changed or it was erased a moment later.
    if (!entered) throw invalidField('token', 'token_used');
    return entered;
  });

  mount(resendOnboarding, async ({ body, log, clientIp }) => {
    const { captcha, formToken, ...requested } = body;
    const proof = { captcha, formToken };
    const email = body.email && emailDigest(body.email, settings.jwtSecrets);
    const who = { clientIp, ...(email && { email }) };
    await consumeAttempt(deps, LINK_PER_IP, clientIp, { log, ...who });
    const about = body.email ?? body.token ?? '';
    await requireHuman(deps, { proof, action: 'resend_onboarding', about }, { log, ...who });
    // The account of the link is looked up later, and the request then counts for that account as well.
    const key = body.email ? addressKey(body.email) : hashToken(body.token ?? '');
    await consumeAttempt(deps, LINKS_PER_ADDRESS.onboarding, key, { log, ...who });
    await requestLink(db.orm, { purpose: 'onboarding', ...requested }, clock.now());
    audit(log, 'onboarding_asked', who);
    return done('onboarding_mail_sent');
  });

  mount(checkMailToken, async ({ body, log, clientIp }) => {
    const { link, account } = await readLink(deps, { log, clientIp }, body.token, body.purpose);
    const { firstName, lastName } = body.purpose === 'onboarding' ? account : { firstName: '', lastName: '' };
    return { data: { email: link.email ?? account.email, firstName, lastName } };
  });

  mount(forgotPassword, async ({ body, log, clientIp }) => {
    const { captcha, formToken, ...requested } = body;
    const proof = { captcha, formToken };
    const who = { clientIp, email: emailDigest(body.email, settings.jwtSecrets) };
    await consumeAttempt(deps, LINK_PER_IP, clientIp, { log, ...who });
    await requireHuman(deps, { proof, action: 'forgot_password', about: body.email }, { log, ...who });
    await consumeAttempt(deps, LINKS_PER_ADDRESS.reset, addressKey(body.email), { log, ...who });
    await requestLink(db.orm, { purpose: 'reset', ...requested }, clock.now());
    audit(log, 'password_reset_asked', who);
    return done('password_mail_sent');
  });

  mount(resetPassword, async ({ body, log, clientIp }) => {
    const requester = { log, clientIp };
    const isDone = hasPassword(deps, body.password, clientIp);
    const click = { token: body.token, purpose: 'reset', isDone } as const;
    const account = await allowReplay(deps, requester, click, () => replacePassword(deps, requester, body));
    const now = clock.now();
    const passkeys = await listPasskeys(db.orm, account.id);
    const keys = (await listKeys(db.orm, account.id)).filter(
      ({ expiresAt }) => expiresAt === null || expiresAt > now,
    );
    return { ...done('password_reset'), passkeys: passkeys.length, keys: keys.length };
  });
}

/** Sets a new password through a mailed link. */
async function replacePassword(
  deps: Deps,
  { log, clientIp }: { log: Logger; clientIp: string },
  { token, password, revokesKeys, ...proof }: z.output<typeof resetPassword.body>,
): Promise<AccountRow> {
  const { db, clock } = deps;
  const { link, account } = await readLink(deps, { log, clientIp }, token, 'reset');
  const who = { clientIp, account: account.id };
  await requireHuman(deps, { proof, action: 'reset_password', about: account.id }, { log, ...who });
  await consumeAttempt(deps, LINK_USE_PER_ACCOUNT, account.id, { log, ...who });
  await requireGoodPassword({ ...deps, log }, 'password', password, account.email);
  const passwordHash = await deps.passwords.hash(password, clientOf(clientIp, account.id));
  await db.orm.transaction(async (transaction) => {
    const owner = await useMailToken(transaction, link, clock.now());
    await setPassword(transaction, deps, owner, { passwordHash, revokesKeys }, clock.now());
  });
  audit(log, 'password_reset', who);
  if (revokesKeys) audit(log, 'keys_revoked', { ...who, reason: 'all' });
  return account;
}
