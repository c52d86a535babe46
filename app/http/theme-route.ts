import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { choiceCookie } from './cookies.server';
import { readForm } from './form.server';
import { requireSameOrigin } from './guards.server';
import { safePath } from './safe-path';
import { findTheme } from './theme.server';

export async function loader() {
  return redirect('/', 303);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    const form = await readForm(scope, ['theme', 'back']);
    const theme = findTheme(form.get('theme')) ?? 'system';
    const cookie = choiceCookie('theme', theme);
    return redirect(safePath(form.get('back')), { status: 303, headers: { 'Set-Cookie': cookie } });
  });
}
