import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { choiceCookie } from '~/http/cookies.server';
import { readForm } from '~/http/form.server';
import { requireSameOrigin } from '~/http/guards.server';
import { safePath } from '~/http/safe-path';
import { findTheme } from '~/http/theme.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/', 303);
}

export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    requireSameOrigin(request);
    const form = await readForm({ request, context }, ['theme', 'back']);
    const theme = findTheme(form.get('theme')) ?? 'system';
    const cookie = choiceCookie('theme', theme);
    return redirect(safePath(form.get('back')), { status: 303, headers: { 'Set-Cookie': cookie } });
  });
}
