import type { LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { getSharedFile } from './shared-report.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, getSharedFile);
}
