import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { handlePasskeyLogIn } from '~/account/settings/passkeys.server';
import { requireSameOrigin, requireVisitor } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader() {
  return redirect('/login', 303);
}

export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    requireSameOrigin(request);
    await requireVisitor(request);
    return handlePasskeyLogIn({ request, context });
  });
}
