import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { requireSameOrigin } from '~/http/guards.server';
import { readScope } from '~/http/scope.server';
import { followAction } from './visits.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return followAction(await readScope(args), params.code ?? '', params.act ?? '');
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  const scope = await readScope(args);
  requireSameOrigin(scope.request);
  return followAction(scope, params.code ?? '', params.act ?? '');
}
