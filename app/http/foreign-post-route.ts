import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';

export async function loader(args: LoaderFunctionArgs) {
  return orErrorPage(args, async () => {
    throw data(null, { status: 403 });
  });
}
