import type { LoaderFunctionArgs } from '@remix-run/node';
import { draw } from '~/codes/pictures/drawing-pool.server';
import { orErrorPage } from '~/site/error-response.server';
import { getSharedFile } from './shared-report.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, (scope) => getSharedFile(scope, (order) => draw(scope, 'makeReport', order)));
}
