import { z } from 'zod';
import { listIdentities, unlinkIdentity } from '#contract/identities';
import { signedCookie } from '~/http/cookies.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { removeSignIn } from './sign-in-removal.server';

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
export async function findGoogleAccount(
  requestContext: RequestContext,
  token: string,
  id: string | undefined,
) {
  const { data: identities } = await callHost(requestContext, listIdentities, { token });
  return identities.find((identity) => identity.id === id) ?? null;
}

export async function removeGoogleAccount(requestContext: RequestContext, token: string, id: string) {
  return removeSignIn(requestContext, '/user/settings', (body) =>
    callHost(requestContext, unlinkIdentity, { params: { id }, body, token }),
  );
}
