import type { LoaderFunctionArgs } from '@remix-run/node';
import { getPreset } from '#contract/logos';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const file = params.file ?? '';
    return proxyFile(
      fetchHost({ request, context }, getPreset, { params: { file } }),
      'public, max-age=86400',
    );
  });
}
