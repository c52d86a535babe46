import type { LoaderFunctionArgs } from '@remix-run/node';
import { visitByScan } from '#contract/visits';
import { followCode } from './visits.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return followCode({ request, context }, visitByScan, params.code ?? '');
}
