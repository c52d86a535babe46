import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  changePassword as changePasswordCall,
  changeTimeZone as changeTimeZoneCall,
  getProfile,
  updateProfile,
} from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { listIdentities } from '#contract/identities';
import { cancelEmailChange, resendEmailChange } from '#contract/recovery';
import { getSecondFactor } from '#contract/second-factor';
import { endOneSession, endOtherSessions as endOthersCall, listSessions } from '#contract/sessions';
import { getProfileValidation } from '#contract/validation';
import { getCaptcha } from '~/http/captcha.server';
import { cacheConstraints } from '~/http/constraints.server';
import { zoneCookie } from '~/http/cookies.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { requireUser } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { signOutCookie } from '~/http/session.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import { getLocale } from '~/i18n/locale.server';
import type { NoticeKey } from '~/i18n/text-keys';
import { readZone } from '~/i18n/time-zone.server';
import { zoneOptions } from '~/i18n/zone-options.server';
import { listAddresses, makeDefault } from './addresses.server';
import { findPasskeys } from './passkeys.server';

const FIELDS = [
  'intent',
  'id',
  'firstName',
  'lastName',
  'email',
  'currentPassword',
  'newPassword',
  'confirmPassword',
  'timeZone',
  ...Object.keys(robotFields),
];

/** What each form of the settings page does, by its `intent`. */
const INTENTS = {
  profile: changeProfile,
  'time-zone': changeTimeZone,
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
    zones: zoneOptions(profile.data.timeZone ?? readZone(requestContext.request, locale), new Date()),
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

const text = z.string().default('');
const ProfileForm = z.object({
  firstName: text,
  lastName: text,
  email: text,
  currentPassword: z.string().optional(),
});

const TimeZoneForm = z.object({ timeZone: text });

const ResendForm = z.object({ ...robotFields });

const profileConstraints = cacheConstraints(async (requestContext) => {
  const { token } = await requireUser(requestContext.request);
  return callHost(requestContext, getProfileValidation, { token });
});

/** Changes names, and asks for another e-mail where it differs; the notice says what the host says. */
async function changeProfile(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, ProfileForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, Object.keys(ProfileForm.shape), async () => {
    const locale = await getLocale(requestContext.request);
    const { status, message } = await callHost(requestContext, updateProfile, {
      body: { ...checked.value, locale },
      token,
    });
    return redirectWithFlash('/user/settings', { type: status, key: message });
  });
}

/** Every page tells moments in the zone from now on, on this device at once and on others from their next sign-in. */
async function changeTimeZone(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, TimeZoneForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const timeZone = checked.value.timeZone || null;
  return withFormErrors(checked.reject, Object.keys(TimeZoneForm.shape), async () => {
    await callHost(requestContext, changeTimeZoneCall, { body: { timeZone }, token });
    return redirectWithFlash('/user/settings', { type: 'success', key: 'time_zone_changed' }, [
      zoneCookie(timeZone),
    ]);
  });
}

/** Mails the confirmation of the pending e-mail again. */
async function resendEmail(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, ResendForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const body = checked.value;
  return withFormErrors(checked.reject, [], async () =>
    aboutPending(async () => callHost(requestContext, resendEmailChange, { body, token })),
  );
}

async function cancelEmail(requestContext: RequestContext, token: string) {
  return aboutPending(async () => callHost(requestContext, cancelEmailChange, { token }));
}

async function aboutPending(act: () => Promise<{ status: 'success'; message: NoticeKey }>) {
  try {
    const { status, message } = await act();
    return await redirectWithFlash('/user/settings', { type: status, key: message });
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.status !== 404) throw thrown;
    // Confirmed or cancelled meanwhile in another window.
    return redirectWithFlash('/user/settings', { type: 'warning', key: 'email_change_over' });
  }
}

const PasswordForm = z.object({ currentPassword: text, newPassword: text, confirmPassword: text });

/** Sets another password and signs out: every session of the account has ended by then. */
async function changePassword(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, PasswordForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, Object.keys(PasswordForm.shape), async () => {
    const { status, message } = await callHost(requestContext, changePasswordCall, {
      body: checked.value,
      token,
    });
    const notice = { type: status, key: message, persistent: true };
    return redirectWithFlash('/user/signed-out', notice, [await signOutCookie()]);
  });
}

/** Signs out everywhere but here. */
async function endOtherSessions(requestContext: RequestContext, token: string) {
  const { status, message } = await callHost(requestContext, endOthersCall, { token });
  return redirectWithFlash('/user/settings', { type: status, key: message });
}

/** Signs out one device; one that is signed out already counts as done. */
async function endSession(requestContext: RequestContext, token: string, form: FormData) {
  try {
    await callHost(requestContext, endOneSession, { params: { id: String(form.get('id')) }, token });
  } catch (thrown) {
    if (!(thrown instanceof HostError && thrown.status === 404)) throw thrown;
  }
  return redirectWithFlash('/user/settings', { type: 'success', key: 'session_ended' });
}
