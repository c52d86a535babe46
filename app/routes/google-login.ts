import type { LoaderFunctionArgs } from '@remix-run/node';
import { handleGoogle } from '~/account/google.server';
import { requireVisitor } from '~/http/guards.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireVisitor(request);
  return handleGoogle({ request, context });
}
