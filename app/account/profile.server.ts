import { z } from 'zod';
import { updateProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { cancelEmailChange, resendEmailChange } from '#contract/recovery';
import { getProfileValidation } from '#contract/validation';
import { keepConstraints } from '~/http/constraints.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid } from '~/http/form.server';
import { requireUser } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import { getLocale } from '~/i18n/locale.server';
import type { NoticeKey } from '~/i18n/text-keys';

const FIELDS = ['firstName', 'lastName', 'email', 'currentPassword'];

const text = z.string().default('');
const ProfileForm = z.object({
  firstName: text,
  lastName: text,
  email: text,
  currentPassword: z.string().optional(),
});

const ResendForm = z.object({ ...robotFields });

export const profileConstraints = keepConstraints(async (requestContext) => {
  const { token } = await requireUser(requestContext.request);
  return callHost(requestContext, getProfileValidation, { token });
});

/** Changes names, and asks for another e-mail where it differs; the notice says what the host says. */
export async function changeProfile(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, ProfileForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, FIELDS, async () => {
    const locale = await getLocale(requestContext.request);
    const { status, message } = await callHost(requestContext, updateProfile, {
      body: { ...checked.value, locale },
      token,
    });
    return redirectWithFlash('/user/settings', { type: status, key: message });
  });
}

/** Mails the confirmation of the pending e-mail again. */
export async function resendEmail(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, ResendForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const body = checked.value;
  return withFormErrors(checked.reject, [], async () =>
    aboutPending(async () => callHost(requestContext, resendEmailChange, { body, token })),
  );
}

export async function cancelEmail(requestContext: RequestContext, token: string) {
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
