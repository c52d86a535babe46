import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { logOut } from '#contract/sessions';
import { clearedOrderCookie } from '~/billing/saved-order.server';
import { redirectWithFlash } from '~/http/flash.server';
import { requireSameOrigin } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { clearedInterruptedPostCookie } from '~/http/interrupted-post.server';
import { findLiveSession, signOutCookie } from '~/http/session.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/', 303);
}

export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    requireSameOrigin(request);
    const session = await findLiveSession(request);
    if (session) {
      // Whatever the host responds, if it responds at all: a shared browser must forget the session.
      await callHost({ request, context }, logOut, { token: session.token }).catch(() => null);
    }
    const cookies = [await signOutCookie(), await clearedOrderCookie(), await clearedInterruptedPostCookie()];
    return redirectWithFlash('/', { type: 'success', key: 'logout_successful' }, cookies);
  });
}
