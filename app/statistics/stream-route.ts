import type { LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { streamUpdates } from './live.server';

export async function loader(args: LoaderFunctionArgs) {
  return streamUpdates(await readScope(args));
}
