import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { downloadZip } from './zip-choice.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, downloadZip);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, downloadZip);
}
