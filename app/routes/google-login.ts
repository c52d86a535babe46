import type { LoaderFunctionArgs } from '@remix-run/node';
import { handleGoogle } from '~/account/google.server';
import { requireVisitor } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    await requireVisitor(request);
    return handleGoogle({ request, context });
  });
}
