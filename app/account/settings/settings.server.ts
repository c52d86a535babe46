import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  changePassword as changePasswordCall,
  changeTimeZone as changeTimeZoneCall,
  getProfile,
  updateProfile,
} from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { LOCALES } from '#contract/locales';
import { cancelEmailChange, resendEmailChange } from '#contract/recovery';
import { endOneSession, endOtherSessions as endOthersCall } from '#contract/sessions';
import { getSignIn } from '#contract/sign-in';
import { TimeZone } from '#contract/time-zones';
import { getProfileValidation } from '#contract/validation';
import { listAddresses, makeDefault } from '~/account/addresses/addresses.server';
import { getCaptcha } from '~/http/captcha.server';
import { cacheConstraints } from '~/http/constraints.server';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { signOut } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { isNotFound, orAlreadyGone } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import type { NoticeKey } from '~/i18n/text-keys';
import { zoneOptions } from '~/i18n/zones.server';

const FIELDS = [
  'intent',
  'id',
  'firstName',
  'lastName',
  'publicName',
  'email',
  'currentPassword',
  'code',
  'newPassword',
  'confirmPassword',
  'revokesKeys',
  'timeZone',
  ...Object.keys(robotFields),
];

/** Handlers of the settings page's forms, by `intent`. */
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

/** Everything the settings page shows of an account. */
export async function getSettings(scope: UserScope) {
  const [profile, signIn, addresses, constraint, captcha] = await Promise.all([
    callHost(scope, getProfile),
    callHost(scope, getSignIn),
    listAddresses(scope),
    profileConstraints(scope),
    getCaptcha(scope),
  ]);
  return {
    profile: profile.data,
    signIn: signIn.data,
    zones: zoneOptions(profile.data.timeZone ?? LOCALES[scope.locale].zone, new Date()),
    usualZone: LOCALES[scope.locale].zone,
    addresses,
    constraint,
    locale: scope.locale,
    captcha,
  };
}

export type SignIn = Awaited<ReturnType<typeof getSettings>>['signIn'];

/** Handles the posted form of the settings page. */
export async function handleSettings(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  const intent = String(form.get('intent'));
  if (!isIntent(intent)) throw data(null, { status: 400 });
  return INTENTS[intent](scope, form);
}

function isIntent(intent: string): intent is keyof typeof INTENTS {
  return Object.hasOwn(INTENTS, intent);
}

const text = z.string().default('');
const ProfileForm = z.object({
  firstName: text,
  lastName: text,
  publicName: text,
  email: text,
  currentPassword: z.string().optional(),
  code: text,
});

const TimeZoneForm = z.object({ timeZone: TimeZone });

const ResendForm = z.object({ ...robotFields });

const profileConstraints = cacheConstraints((scope: UserScope) => callHost(scope, getProfileValidation));

/** Changes names, and requests an e-mail change if the address differs; the notice is the host's message. */
async function changeProfile(scope: UserScope, form: FormData) {
  return handleForm(scope, form, ProfileForm, Object.keys(ProfileForm.shape), async (entered) => {
    const { locale } = scope;
    const { status, message } = await callHost(scope, updateProfile, { body: { ...entered, locale } });
    return redirectWithFlash('/user/settings', { type: status, key: message });
  });
}

/** Sets the zone in which every page shows times, on every device. */
async function changeTimeZone(scope: UserScope, form: FormData) {
  return handleForm(scope, form, TimeZoneForm, Object.keys(TimeZoneForm.shape), async (entered) => {
    await callHost(scope, changeTimeZoneCall, { body: entered });
    return redirectWithFlash('/user/settings', { type: 'success', key: 'time_zone_changed' });
  });
}

/**
 * Stores the browser's time zone in an account that has none; status 422 for a zone that only the browser knows, 401 for
 * an ended session. Sets no cookies: a notice about the session would replace that of a page which is being loaded.
 */
export async function storeGuessedZone(scope: UserScope): Promise<Response> {
  const form = await readForm(scope, ['timeZone']);
  const read = TimeZone.safeParse(form.get('timeZone'));
  if (!read.success) return new Response(null, { status: 422 });
  const body = { timeZone: read.data, onlyIfUnset: true };
  try {
    await callHost(scope, changeTimeZoneCall, { body });
  } catch (thrown) {
    if (thrown instanceof Response) return new Response(null, { status: 401 });
    throw thrown;
  }
  return new Response(null, { status: 204 });
}

/** Sends the confirmation mail for the pending e-mail again. */
async function resendEmail(scope: UserScope, form: FormData) {
  return handleForm(scope, form, ResendForm, [], async (body) =>
    aboutPending(async () => callHost(scope, resendEmailChange, { body })),
  );
}

async function cancelEmail(scope: UserScope) {
  return aboutPending(async () => callHost(scope, cancelEmailChange));
}

async function aboutPending(act: () => Promise<{ status: 'success'; message: NoticeKey }>) {
  try {
    const { status, message } = await act();
    return await redirectWithFlash('/user/settings', { type: status, key: message });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    // Confirmed or cancelled in another window in the meantime.
    return redirectWithFlash('/user/settings', { type: 'warning', key: 'email_change_over' });
  }
}

const PasswordForm = z.object({
  currentPassword: text,
  code: text,
  newPassword: text,
  confirmPassword: text,
  revokesKeys: z.boolean().default(false),
});

/** Sets a new password and signs out, as this ends every session of the account. */
async function changePassword(scope: UserScope, form: FormData) {
  return handleForm(scope, form, PasswordForm, Object.keys(PasswordForm.shape), async (body) => {
    const { status, message } = await callHost(scope, changePasswordCall, { body });
    const notice = { type: status, key: message, persistent: true };
    return signOut('/user/signed-out', notice);
  });
}

/** Signs out everywhere else. */
async function endOtherSessions(scope: UserScope) {
  const { status, message } = await callHost(scope, endOthersCall);
  return redirectWithFlash('/user/settings', { type: status, key: message });
}

/** Signs out one device; one that is already signed out counts as done. */
async function endSession(scope: UserScope, form: FormData) {
  await orAlreadyGone(callHost(scope, endOneSession, { params: { id: String(form.get('id')) } }));
  return redirectWithFlash('/user/settings', { type: 'success', key: 'session_ended' });
}
