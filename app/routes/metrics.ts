import type { LoaderFunctionArgs } from '@remix-run/node';
import { readMetrics } from '~/http/meters.server';

/** Metrics of this process, for operators. */
export async function loader({ request }: LoaderFunctionArgs) {
  return readMetrics(request);
}
