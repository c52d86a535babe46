import { z } from 'zod';
import { updateProfile } from '#contract/accounts';
import { robotFields } from '#contract/form-tokens';
import { cancelEmailChange, resendEmailChange } from '#contract/recovery';
import { getProfileValidation } from '#contract/validation';
import { keepConstraints } from '~/http/constraints.server';
import { checkForm, invalid } from '~/http/form.server';
import { requireUser } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
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

export const profileConstraints = keepConstraints(async (asker) => {
  const { token } = await requireUser(asker.request);
  return callHost(asker, getProfileValidation, { token });
});

/** Changes names, and asks for another e-mail where it differs; the notice says what the host says. */
export async function changeProfile(asker: Asker, token: string, form: FormData) {
  const checked = checkForm(asker, form, ProfileForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, FIELDS, async () => {
    const locale = await getLocale(asker.request);
    const { status, message } = await callHost(asker, updateProfile, {
      body: { ...checked.value, locale },
      token,
    });
    return redirectWithNotice('/user/settings', { type: status, key: message });
  });
}

/** Mails the confirmation of the pending e-mail again. */
export async function resendEmail(asker: Asker, token: string, form: FormData) {
  const checked = checkForm(asker, form, ResendForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const body = checked.value;
  return orRefuse(checked.reject, [], async () =>
    aboutPending(async () => callHost(asker, resendEmailChange, { body, token })),
  );
}

export async function cancelEmail(asker: Asker, token: string) {
  return aboutPending(async () => callHost(asker, cancelEmailChange, { token }));
}

async function aboutPending(act: () => Promise<{ status: 'success'; message: NoticeKey }>) {
  try {
    const { status, message } = await act();
    return await redirectWithNotice('/user/settings', { type: status, key: message });
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.status !== 404) throw thrown;
    // Confirmed or cancelled meanwhile in another window.
    return redirectWithNotice('/user/settings', { type: 'warning', key: 'email_change_over' });
  }
}
