import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadImported } from './import.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => downloadImported(await requireUser(scope), params.id));
}
