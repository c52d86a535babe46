import type { LoaderFunctionArgs } from '@remix-run/node';
import { readMetrics } from '~/http/meters.server';

/** How this program does, for those who run it. */
export async function loader({ request }: LoaderFunctionArgs) {
  return readMetrics(request);
}
