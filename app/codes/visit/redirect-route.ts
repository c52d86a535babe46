import type { LoaderFunctionArgs } from '@remix-run/node';
import { visitByScan } from '#contract/visits';
import { readScope } from '~/http/scope.server';
import { followCode } from './visits.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return followCode(await readScope(args), visitByScan, params.code ?? '');
}
