import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCodeLogo } from '#contract/logos';
import { requireUser } from '~/http/guards.server';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const user = await requireUser(scope);
    const logo = fetchHost(user, getCodeLogo, { params: { id: params.id ?? '' } });
    return proxyFile(logo, 'private, max-age=3600');
  });
}
