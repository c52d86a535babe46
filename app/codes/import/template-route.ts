import type { LoaderFunctionArgs } from '@remix-run/node';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { importTemplate } from './import.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    await requireUser(scope);
    return importTemplate(scope);
  });
}
