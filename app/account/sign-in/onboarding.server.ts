import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { getOverview } from '#contract/dashboard';
import { robotFields } from '#contract/form-tokens';
import { onboard, resendOnboarding } from '#contract/recovery';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { readDevices } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { enter } from './entry.server';
import { readLinkToken } from './mail-link.server';

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
export async function handleOnboarding(requestContext: RequestContext) {
  const form = await readForm(requestContext, [...FIELDS, 'intent', 'email', ...Object.keys(robotFields)]);
  return form.get('intent') === 'resend' ? resend(requestContext, form) : setUp(requestContext, form);
}

async function setUp(requestContext: RequestContext, form: FormData) {
  const checked = checkForm(requestContext, form, OnboardingForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, FIELDS, async () => {
    const locale = await getLocale(requestContext.request);
    const devices = await readDevices(requestContext.request);
    const body = { ...checked.value, token: readLinkToken(requestContext.request), locale, devices };
    const response = await callHost(requestContext, onboard, { body });
    const entry = {
      to: response.token ? await findFirstPage(requestContext, response.token) : '/user/dashboard',
      remember: false,
      notice: 'onboarding_successful' as const,
    };
    return (
      (await enter(requestContext, response, entry)) ??
      invalid(checked.reject({ formErrors: ['invalid_token'] }))
    );
  });
}

/**
 * The list of codes if the design from before the purchase became a code; otherwise the dashboard, which says
 * why not.
 */
async function findFirstPage(requestContext: RequestContext, token: string): Promise<string> {
  try {
    const { data: overview } = await callHost(requestContext, getOverview, { token });
    return overview.unfinishedDesign ? '/user/dashboard' : '/user/qrcodes';
  } catch (thrown) {
    // Go on regardless: the link is used up, and without this session the user would have to sign in again.
    if (!(thrown instanceof HostError) && !isUnavailable(thrown)) throw thrown;
    return '/user/dashboard';
  }
}

async function resend(requestContext: RequestContext, form: FormData) {
  const checked = checkForm(requestContext, form, ResendForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { email, ...proof } = checked.value;
  const token = readLinkToken(requestContext.request);
  return withFormErrors(checked.reject, ['email'], async () => {
    const locale = await getLocale(requestContext.request);
    // A well-formed link identifies its account; a broken one does not.
    const known = form.has('email') ? { email: email ?? '' } : { token };
    await callHost(requestContext, resendOnboarding, { body: { ...known, ...proof, locale } });
    return redirect('/onboarding?sent=1', 303);
  });
}
