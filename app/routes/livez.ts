import { healthAnswer } from '~/http/server-hooks.server';

/** Whether this program answers; 503 once it is asked to stop. */
export async function loader() {
  return healthAnswer();
}
