import { getProfile } from '#contract/accounts';
import { callHost } from './host.server';
import type { RequestContext } from './scope.server';
import type { Session } from './session.server';

/** How the navbar names the signed-in user: the first name, else what stands before the @. */
export async function userLabel(requestContext: RequestContext, session: Session): Promise<string> {
  const short = session.email.split('@')[0] ?? session.email;
  try {
    const { data } = await callHost(requestContext, getProfile, { token: session.token });
    return data.firstName || short;
  } catch (thrown) {
    // A page must not fail because its navbar could not ask for a name; an ended session still ends it.
    if (thrown instanceof Response) throw thrown;
    return short;
  }
}
