import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { downloadZip } from './zip-choice.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, () => downloadZip({ request, context }));
}

export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, () => downloadZip({ request, context }));
}
