import type { LoaderFunctionArgs } from '@remix-run/node';
import { getPreset } from '#contract/logos';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const file = params.file ?? '';
    return proxyFile(fetchHost(scope, getPreset, { params: { file } }), 'public, max-age=86400');
  });
}
