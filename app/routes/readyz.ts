import { healthAnswer } from '~/http/server-hooks.server';

/** The website has pages to show without the host, so it is ready as long as it is not told to stop. */
export async function loader() {
  return healthAnswer();
}
