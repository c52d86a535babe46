import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadCodes } from '~/statistics/exports.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    return downloadCodes({ request, context }, token);
  });
}
