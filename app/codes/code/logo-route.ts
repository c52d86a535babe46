import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCodeLogo } from '#contract/logos';
import { requireUser } from '~/http/guards.server';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    const logo = fetchHost({ request, context }, getCodeLogo, { params: { id: params.id ?? '' }, token });
    return proxyFile(logo, 'private, max-age=3600');
  });
}
