import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { passReport } from '~/codes/visits.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return passReport({ request, context }, params.code ?? '');
}

/** Called by other sites, so from any origin; it reads no cookie. */
export async function action({ request, context, params }: ActionFunctionArgs) {
  return passReport({ request, context }, params.code ?? '');
}
