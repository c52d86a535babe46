import type { LoaderFunctionArgs } from '@remix-run/node';
import { getLogo } from '#contract/logos';
import { requireUser } from '~/http/guards.server';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

/** Picture of one of the account's own logos. */
export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const user = await requireUser(scope);
    return proxyFile(fetchHost(user, getLogo, { params: { id: params.id ?? '' } }), 'private, max-age=3600');
  });
}
