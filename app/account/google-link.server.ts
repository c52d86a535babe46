import { z } from 'zod';
import { listIdentities, unlinkIdentity } from '#contract/identities';
import { signedCookie } from '~/http/cookies.server';
import { checkForm, errorsOf, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';

/** The host's word for a Google account that the next password links; it is good for as long. */
const cookie = signedCookie('google-link', 10 * 60);

export async function googleLinkCookie(link: string): Promise<string> {
  return cookie.serialize(link);
}

export async function readGoogleLink(request: Request): Promise<string | undefined> {
  return z.string().safeParse(await cookie.parse(request.headers.get('cookie'))).data;
}

export async function forgottenGoogleLink(): Promise<string> {
  return cookie.serialize('', { maxAge: 0 });
}

/** The Google account that a page is about; null when it is gone. */
export async function findGoogleAccount(asker: Asker, token: string, id: string | undefined) {
  const { data: identities } = await callHost(asker, listIdentities, { token });
  return identities.find((identity) => identity.id === id) ?? null;
}

const RemoveForm = z.object({ currentPassword: z.string().default('') });

export async function removeGoogleAccount(asker: Asker, token: string, id: string) {
  const checked = checkForm(asker, await readForm(asker, ['currentPassword']), RemoveForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(
    checked.reject,
    (refusal) =>
      refusal.status === 409 ? { formErrors: ['only_way_in'] } : errorsOf(refusal, ['currentPassword']),
    async () => {
      const sent = { params: { id }, body: checked.value, token };
      const { status, message } = await callHost(asker, unlinkIdentity, sent);
      return redirectWithNotice('/user/settings', { type: status, key: message });
    },
  );
}
