import type { LoaderFunctionArgs } from '@remix-run/node';
import { getDraftLogo } from '#contract/drafts';
import { fetchHost, proxyFile } from '~/http/host.server';
import { orErrorPage } from '~/site/error-response.server';
import { readVisitor } from './visitor.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { key: visitor } = await readVisitor(request);
    const logo = fetchHost({ request, context }, getDraftLogo, {
      params: { id: params.id ?? '' },
      query: { visitor },
    });
    return proxyFile(logo, 'private, max-age=60');
  });
}
