import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { requireSameOrigin } from '~/http/guards.server';
import { findLiveSession } from '~/http/session.server';
import { orErrorPage } from '~/site/error-response.server';
import { storeGuessedZone } from './settings.server';

export async function loader() {
  return redirect('/user/settings', 303);
}

/** Posted by a script of the first page after signing in, not by a form. */
export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    requireSameOrigin(request);
    const session = await findLiveSession(request);
    return session
      ? storeGuessedZone({ request, context }, session.token)
      : new Response(null, { status: 401 });
  });
}
