import { data } from '@remix-run/node';
import { getProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { listIdentities } from '#contract/identities';
import { getSecondFactor } from '#contract/second-factor';
import { listSessions } from '#contract/sessions';
import { getCaptcha } from '~/http/captcha.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { listAddresses, makeDefault } from './addresses.server';
import { findPasskeys } from './passkeys.server';
import { changePassword } from './password.server';
import { cancelEmail, changeProfile, profileConstraints, resendEmail } from './profile.server';
import { endOtherSessions, endSession } from './sessions.server';

const FIELDS = [
  'intent',
  'id',
  'firstName',
  'lastName',
  'email',
  'currentPassword',
  'newPassword',
  'confirmPassword',
  ...Object.keys(robotFields),
];

/** What each form of the settings page does, by its `intent`. */
const INTENTS = {
  profile: changeProfile,
  'resend-email': resendEmail,
  'cancel-email': cancelEmail,
  password: changePassword,
  'end-session': endSession,
  'end-others': endOtherSessions,
  'default-address': makeDefault,
} as const;

/** All that the settings page shows of an account. */
export async function getSettings(requestContext: RequestContext, token: string) {
  const [profile, sessions, secondFactor, identities, passkeys, addresses, constraint, locale, captcha] =
    await Promise.all([
      callHost(requestContext, getProfile, { token }),
      callHost(requestContext, listSessions, { token }),
      callHost(requestContext, getSecondFactor, { token }),
      callHost(requestContext, listIdentities, { token }),
      findPasskeys(requestContext, token),
      listAddresses(requestContext, token),
      profileConstraints(requestContext),
      getLocale(requestContext.request),
      getCaptcha(requestContext),
    ]);
  return {
    profile: profile.data,
    sessions: sessions.data,
    signIn: { secondFactorSince: secondFactor.data.since, googleAccounts: identities.data, passkeys },
    ...{ addresses, constraint, locale, captcha },
  };
}

/** Does what the posted form of the settings page asks for. */
export async function handleSettings(requestContext: RequestContext, token: string) {
  const form = await readForm(requestContext, FIELDS);
  const intent = String(form.get('intent'));
  if (!isIntent(intent)) throw data(null, { status: 400 });
  return INTENTS[intent](requestContext, token, form);
}

function isIntent(intent: string): intent is keyof typeof INTENTS {
  return Object.hasOwn(INTENTS, intent);
}
