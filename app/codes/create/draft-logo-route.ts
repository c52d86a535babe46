import type { LoaderFunctionArgs } from '@remix-run/node';
import { getDraftLogo } from '#contract/drafts';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const { key: visitor } = scope.visitor;
    const logo = fetchHost(scope, getDraftLogo, {
      params: { id: params.id ?? '' },
      query: { visitor },
    });
    return proxyFile(logo, 'private, max-age=60');
  });
}
