import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCodeLogo } from '#contract/codes';
import { requireUser } from '~/http/guards.server';
import { fetchHost } from '~/http/host.server';
import { passFile } from '~/http/pass-file.server';
import { orErrorPage } from '~/site/error-answer.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    const logo = fetchHost({ request, context }, getCodeLogo, { params: { id: params.id ?? '' }, token });
    return passFile(logo, 'private, max-age=3600');
  });
}
