import { env } from '~/http/env.server';

/** The tag of the settings, as part of root's data; nothing of it, not even its name, without an id. */
export const analyticsData = env.ANALYTICS_ID
  ? { analytics: { id: env.ANALYTICS_ID, script: env.ANALYTICS_SCRIPT_URL } }
  : {};
