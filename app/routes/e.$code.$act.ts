import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { followAction } from '~/codes/visits.server';
import { requireSameOrigin } from '~/http/guards.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return followAction({ request, context }, params.code ?? '', params.act ?? '');
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  requireSameOrigin(request);
  return followAction({ request, context }, params.code ?? '', params.act ?? '');
}
