import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireVisitor } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { handleGoogle } from './google.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => handleGoogle(await requireVisitor(scope)));
}
