import type { LoaderFunctionArgs } from '@remix-run/node';
import { readMetrics } from './meters.server';

/** Metrics of this process, for operators. */
export async function loader({ request }: LoaderFunctionArgs) {
  return readMetrics(request);
}
