import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { getOwnInvoice } from './transactions.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => getOwnInvoice(await requireUser(scope), params.file ?? ''));
}
