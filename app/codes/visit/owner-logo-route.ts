import type { LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { ownerLogo } from './visits.server';

export function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, (scope) => ownerLogo(scope, params.code ?? ''));
}
