import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { requireSameOrigin } from '~/http/guards.server';
import { followAction } from './visits.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return followAction({ request, context }, params.code ?? '', params.act ?? '');
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  requireSameOrigin(request);
  return followAction({ request, context }, params.code ?? '', params.act ?? '');
}
