import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    throw data(null, { status: 403 });
  });
}
