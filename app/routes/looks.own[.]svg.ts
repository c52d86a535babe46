import type { LoaderFunctionArgs } from '@remix-run/node';
import { drawStyleAt } from '~/codes/look/style-picture.server';
import { orErrorPage } from '~/site/error-response.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => drawStyleAt(new URL(request.url)));
}
