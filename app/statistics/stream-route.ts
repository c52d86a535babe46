import type { LoaderFunctionArgs } from '@remix-run/node';
import { streamUpdates } from './live.server';

export async function loader({ request, context }: LoaderFunctionArgs) {
  return streamUpdates({ request, context });
}
