import type { LoaderFunctionArgs } from '@remix-run/node';
import { downloadAccount } from '~/account/erasure.server';
import { requireUser } from '~/http/guards.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  return downloadAccount({ request, context }, token);
}
