import { healthResponse } from './server-hooks.server';

/** Readiness: the website can show pages without the host, so it is ready until it is told to stop. */
export async function loader() {
  return healthResponse();
}
