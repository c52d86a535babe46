import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';
import { downloadSheet } from './sheet.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, downloadSheet);
}

export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, downloadSheet);
}
