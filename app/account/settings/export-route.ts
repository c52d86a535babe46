import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { downloadAccount } from './erasure.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => downloadAccount(await requireUser(scope)));
}
