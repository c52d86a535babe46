import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { getOverview } from '#contract/dashboard';
import { robotFields } from '#contract/form-tokens';
import { onboard, resendOnboarding } from '#contract/recovery';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { readDevices } from '~/http/known-device.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { enter } from './entry.server';
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
    const answer = await callHost(asker, onboard, { body });
    const entry = {
      to: answer.token ? await findFirstPage(asker, answer.token) : '/user/dashboard',
      remember: false,
      notice: 'onboarding_successful' as const,
    };
    return (await enter(asker, answer, entry)) ?? invalid(checked.reject({ formErrors: ['invalid_token'] }));
  });
}

/** Where the design kept before buying has become a code, or where it is told what kept it from that. */
async function findFirstPage(asker: Asker, token: string): Promise<string> {
  const { data: overview } = await callHost(asker, getOverview, { token });
  return overview.unfinishedDesign ? '/user/dashboard' : '/user/qrcodes';
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
