import type { LoaderFunctionArgs } from '@remix-run/node';
import { downloadAccount } from '~/account/erasure.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    return downloadAccount({ request, context }, token);
  });
}
