import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { logOut } from '#contract/sessions';
import { clearedOrderCookie } from '~/billing/saved-order.server';
import { requireSameOrigin, signOut } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { clearedInterruptedPostCookie } from '~/http/interrupted-post.server';
import { isSignedIn } from '~/http/scope.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/', 303);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    // Whatever the host responds, if it responds at all: a shared browser must forget the session.
    if (isSignedIn(scope)) await callHost(scope, logOut).catch(() => null);
    const cookies = [await clearedOrderCookie(), await clearedInterruptedPostCookie()];
    return signOut('/', { type: 'success', key: 'logout_successful' }, cookies);
  });
}
