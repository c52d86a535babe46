import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireVisitor } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { handleGoogle } from './google.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    await requireVisitor(request);
    return handleGoogle({ request, context });
  });
}
