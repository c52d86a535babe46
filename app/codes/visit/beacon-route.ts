import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { readScope } from '~/http/scope.server';
import { forwardReport } from './visits.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return forwardReport(await readScope(args), params.code ?? '');
}

/** Called by other sites, so from any origin; it reads no cookie. */
export async function action({ params, ...args }: ActionFunctionArgs) {
  return forwardReport(await readScope(args), params.code ?? '');
}
