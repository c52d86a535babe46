import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { getOverview } from '#contract/dashboard';
import { robotFields } from '#contract/form-tokens';
import { onboard, resendOnboarding } from '#contract/recovery';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { readDevices, signInCookies } from '~/http/known-device.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { readClaims } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { readLinkToken } from './mail-link.server';

const FIELDS = ['firstName', 'lastName', 'password', 'confirmPassword'];

// What is allowed is decided by the host, which answers all errors by field at once.
const text = z.string().default('');
const OnboardingForm = z.object({
  firstName: text,
  lastName: text,
  password: text,
  confirmPassword: text,
});
const ResendForm = z.object({ email: z.string().optional(), ...robotFields });

/** Sets the account up and signs in, or has the link mailed again: whichever form of the page was posted. */
export async function handleOnboarding(asker: Asker) {
  const form = await readForm(asker, [...FIELDS, 'intent', 'email', ...Object.keys(robotFields)]);
  return form.get('intent') === 'resend' ? resend(asker, form) : setUp(asker, form);
}

async function setUp(asker: Asker, form: FormData) {
  const checked = checkForm(asker, form, OnboardingForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, FIELDS, async () => {
    const locale = await getLocale(asker.request);
    const devices = await readDevices(asker.request);
    const body = { ...checked.value, token: readLinkToken(asker.request), locale, devices };
    const signedIn = await callHost(asker, onboard, { body });
    const { token } = signedIn;
    if (!readClaims(token)) return invalid(checked.reject({ formErrors: ['invalid_token'] }));
    const cookies = await signInCookies(asker.request, signedIn, false);
    const { data: overview } = await callHost(asker, getOverview, { token });
    // What kept the design from becoming a code is told there.
    const page = overview.unfinishedDesign ? '/user/dashboard' : '/user/qrcodes';
    return redirectWithNotice(page, { type: 'success', key: 'onboarding_successful' }, cookies);
  });
}

async function resend(asker: Asker, form: FormData) {
  const checked = checkForm(asker, form, ResendForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { email, ...proof } = checked.value;
  const token = readLinkToken(asker.request);
  return orRefuse(checked.reject, ['email'], async () => {
    const locale = await getLocale(asker.request);
    // A link of the right shape names its account itself; a broken one does not.
    const known = form.has('email') ? { email: email ?? '' } : { token };
    await callHost(asker, resendOnboarding, { body: { ...known, ...proof, locale } });
    return redirect('/onboarding?sent=1', 303);
  });
}
