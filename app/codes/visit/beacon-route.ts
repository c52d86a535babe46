import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { forwardReport } from './visits.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return forwardReport({ request, context }, params.code ?? '');
}

/** Called by other sites, so from any origin; it reads no cookie. */
export async function action({ request, context, params }: ActionFunctionArgs) {
  return forwardReport({ request, context }, params.code ?? '');
}
