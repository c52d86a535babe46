import { healthResponse } from './server-hooks.server';

/** Liveness of this process; 503 once it has been told to stop. */
export async function loader() {
  return healthResponse();
}
