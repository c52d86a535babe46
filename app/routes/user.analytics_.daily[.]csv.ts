import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { downloadDays } from '~/statistics/exports.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  return downloadDays({ request, context }, token);
}
