import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { DEFAULT_LOCALE, isLocale } from '#contract/locales';
import { choiceCookie } from '~/http/cookies.server';
import { readForm } from '~/http/form.server';
import { requireSameOrigin } from '~/http/guards.server';
import { safePath } from '~/http/safe-path';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/', 303);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    const form = await readForm(scope, ['lng', 'back']);
    const chosen = form.get('lng');
    const locale = isLocale(chosen) ? chosen : DEFAULT_LOCALE;
    const cookie = choiceCookie('lng', locale);
    const back = withoutLanguage(safePath(form.get('back')));
    return redirect(back, { status: 303, headers: { 'Set-Cookie': cookie } });
  });
}

/** A language in the URL would override the one just chosen. */
function withoutLanguage(path: string): string {
  const url = new URL(path, 'http://site.invalid');
  url.searchParams.delete('lng');
  return url.pathname + url.search + url.hash;
}
