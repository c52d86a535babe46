import { done } from '#contract/call';
import { checkMailToken, forgotPassword, onboard, resendOnboarding, resetPassword } from '#contract/recovery';
import { createFromDraft } from '#host/codes/codes.create';
import { requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { takePoint } from '#host/http/rate-limit';
import { openSession } from '#host/sessions/open-session';
import { audit, emailMark } from './audit';
import { emailKey, LINK_PER_ADDRESS, LINK_PER_EMAIL } from './limits';
import { requestLink } from './link-requests';
import { hashToken, useMailToken } from './mail-tokens';
import { finishAccount } from './onboarding';
import { requireGoodPassword } from './password-rules';
import { hashPassword } from './passwords';
import { readLink } from './read-link';
import { setPassword } from './set-password';

export function mountRecovery({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(onboard, async ({ body, log, address, context }) => {
    const now = clock.now();
    const { link, account } = await readLink(deps, { log, address }, body.token, 'onboarding');
    requireGoodPassword('password', body.password, { email: account.email, appName: settings.appName });
    const passwordHash = await hashPassword(body.password);
    const { firstName, lastName, locale } = body;
    const signedIn = await db.orm.transaction(async (transaction) => {
      await useMailToken(transaction, link.id, now);
      const finished = await finishAccount(transaction, account.id, {
        firstName,
        lastName,
        passwordHash,
        locale,
      });
      if (!finished) throw invalidField('token', 'token_used');
      if (link.draftId) await createFromDraft(transaction, deps, finished.id, link.draftId, now);
      return finished;
    });
    audit(log, 'onboarded', { account: signedIn.id, address });
    const userAgent = context.req.header('user-agent') ?? '';
    return { token: await openSession(deps, signedIn, { remember: false, userAgent }) };
  });

  mount(resendOnboarding, async ({ body, log, address }) => {
    const now = clock.now();
    await takePoint(db.orm, LINK_PER_ADDRESS, address, now);
    await takePoint(
      db.orm,
      LINK_PER_EMAIL,
      body.email ? emailKey(body.email) : hashToken(body.token ?? ''),
      now,
    );
    await requestLink(db.orm, { purpose: 'onboarding', ...body }, now);
    const email = body.email && emailMark(body.email, settings.jwtSecrets);
    audit(log, 'onboarding_asked', { address, ...(email && { email }) });
    return done('onboarding_mail_sent');
  });

  mount(checkMailToken, async ({ body, log, address }) => {
    const { link, account } = await readLink(deps, { log, address }, body.token, body.purpose);
    return { data: { email: link.email ?? account.email } };
  });

  mount(forgotPassword, async ({ body, log, address }) => {
    const now = clock.now();
    const { captcha, ...asked } = body;
    await takePoint(db.orm, LINK_PER_ADDRESS, address, now);
    await requireCaptcha(deps, { token: captcha, action: 'forgot_password', address });
    await takePoint(db.orm, LINK_PER_EMAIL, emailKey(body.email), now);
    await requestLink(db.orm, { purpose: 'reset', ...asked }, now);
    audit(log, 'password_reset_asked', { address, email: emailMark(body.email, settings.jwtSecrets) });
    return done('password_mail_sent');
  });

  mount(resetPassword, async ({ body, log, address }) => {
    const { link, account } = await readLink(deps, { log, address }, body.token, 'reset');
    requireGoodPassword('password', body.password, { email: account.email, appName: settings.appName });
    const passwordHash = await hashPassword(body.password);
    await db.orm.transaction(async (transaction) => {
      await useMailToken(transaction, link.id, clock.now());
      await setPassword(transaction, deps, account, passwordHash, clock.now());
    });
    audit(log, 'password_reset', { account: account.id, address });
    return done('password_reset');
  });
}
