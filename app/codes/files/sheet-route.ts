import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { downloadSheet } from './sheet.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, () => downloadSheet({ request, context }));
}

export async function action({ request, context }: ActionFunctionArgs) {
  return orErrorPage({ request, context }, () => downloadSheet({ request, context }));
}
