import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { requireSameOrigin } from '~/http/guards.server';
import { isSignedIn } from '~/http/scope.server';
import { orErrorPage } from '~/site/error-response.server';
import { storeGuessedZone } from './settings.server';

export async function loader() {
  return redirect('/user/settings', 303);
}

/** Posted by a script of the first page after signing in, not by a form. */
export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    return isSignedIn(scope) ? storeGuessedZone(scope) : new Response(null, { status: 401 });
  });
}
