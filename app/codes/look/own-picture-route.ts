import type { LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { drawStyleAt } from './style-picture.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => drawStyleAt(scope.url));
}
