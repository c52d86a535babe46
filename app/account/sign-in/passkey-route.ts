import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { handlePasskeyLogIn } from '~/account/settings/passkeys.server';
import { requireSameOrigin, requireVisitor } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/login', 303);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    await requireVisitor(scope);
    return handlePasskeyLogIn(scope);
  });
}
