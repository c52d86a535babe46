import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { requireSameOrigin } from './guards.server';
import { clearedInterruptedPostCookie } from './interrupted-post.server';
import { safePath } from './safe-path';

export async function loader() {
  return redirect('/', 303);
}

/**
 * Input that was posted after the session had ended is shown on its page until it is sent again or discarded
 * through this route.
 */
export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    const { searchParams } = scope.url;
    const to = safePath(searchParams.get('to'));
    const headers = { 'Set-Cookie': await clearedInterruptedPostCookie() };
    if (searchParams.has('discard')) return redirect(to.replace(/\?index$/, ''), { status: 303, headers });
    // Unlike other redirects, 307 makes the browser post the same form again.
    return redirect(to, { status: 307, headers });
  });
}
