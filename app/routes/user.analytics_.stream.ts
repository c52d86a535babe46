import type { LoaderFunctionArgs } from '@remix-run/node';
import { streamNews } from '~/statistics/live.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return streamNews({ request, context });
}
