import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { robotFields } from '#contract/form-tokens';
import { onboard, resendOnboarding } from '#contract/recovery';
import { handleForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { readLinkToken } from '~/http/link-page.server';
import type { Scope } from '~/http/scope.server';
import { readDevices } from '~/http/session.server';
import { enter } from './entry.server';
import { findFirstPage } from './first-page.server';

const FIELDS = ['firstName', 'lastName', 'password', 'confirmPassword'];

// The host decides what is allowed and returns all errors by field at once.
const text = z.string().default('');
const OnboardingForm = z.object({
  firstName: text,
  lastName: text,
  password: text,
  confirmPassword: text,
});
const ResendForm = z.object({ email: z.string().optional(), ...robotFields });

/** Sets up the account and signs in, or has the link mailed again, depending on the posted form. */
export async function handleOnboarding(scope: Scope) {
  const form = await readForm(scope, [...FIELDS, 'intent', 'email', ...Object.keys(robotFields)]);
  return form.get('intent') === 'resend' ? resend(scope, form) : setUp(scope, form);
}

async function setUp(scope: Scope, form: FormData) {
  return handleForm(scope, form, OnboardingForm, FIELDS, async (entered, reject) => {
    const { locale } = scope;
    const devices = await readDevices(scope.request);
    const body = { ...entered, token: readLinkToken(scope), locale, devices };
    const response = await callHost(scope, onboard, { body });
    const entry = {
      to: response.token ? await findFirstPage(scope, response.token) : '/user/dashboard',
      remember: false,
      notice: 'onboarding_successful' as const,
    };
    return (await enter(scope, response, entry)) ?? invalid(reject({ formErrors: ['invalid_token'] }));
  });
}

async function resend(scope: Scope, form: FormData) {
  const token = readLinkToken(scope);
  return handleForm(scope, form, ResendForm, ['email'], async ({ email, ...proof }) => {
    const { locale } = scope;
    // A well-formed link identifies its account; a broken one does not.
    const known = form.has('email') ? { email: email ?? '' } : { token };
    await callHost(scope, resendOnboarding, { body: { ...known, ...proof, locale } });
    return redirect('/onboarding?sent=1', 303);
  });
}
