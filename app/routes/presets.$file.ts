import type { LoaderFunctionArgs } from '@remix-run/node';
import { getPreset } from '#contract/logos';
import { fetchHost } from '~/http/host.server';
import { passFile } from '~/http/pass-file.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const file = params.file ?? '';
  return passFile(fetchHost({ request, context }, getPreset, { params: { file } }), 'public, max-age=86400');
}
