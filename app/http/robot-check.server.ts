import { env } from './env.server';

/** What forms need to ask a captcha; null where none is set up. */
export const robotCheck = env.CAPTCHA_SITE_KEY
  ? { siteKey: env.CAPTCHA_SITE_KEY, contactEmail: env.CONTACT_EMAIL }
  : null;
