import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCodeLogo } from '#contract/codes';
import { requireUser } from '~/http/guards.server';
import { fetchHost } from '~/http/host.server';
import { passFile } from '~/http/pass-file.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const logo = fetchHost({ request, context }, getCodeLogo, { params: { id: params.id ?? '' }, token });
  return passFile(logo, 'private, max-age=3600');
}
