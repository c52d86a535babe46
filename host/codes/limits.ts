import { HOUR_SECONDS } from '#contract/time';
import type { RateLimit } from '#host/http/rate-limit';

/** Designs of people without an account; a school or a company may share one address. */
export const DRAFTS_PER_IP: RateLimit = { name: 'draft', points: 300, windowSeconds: HOUR_SECONDS };
/** Logos of people without an account. */
export const DRAFT_UPLOADS_PER_IP: RateLimit = { name: 'upload', points: 60, windowSeconds: HOUR_SECONDS };
/** Decoding and redrawing logos is the one costly part of creating a code. */
export const UPLOADS_PER_ACCOUNT: RateLimit = {
  name: 'upload-account',
  points: 200,
  windowSeconds: HOUR_SECONDS,
};
/** Several accounts may share an address. */
export const UPLOADS_PER_IP: RateLimit = { name: 'upload-ip', points: 400, windowSeconds: HOUR_SECONDS };
/** Enough to make a code for every table of a restaurant. */
export const CREATIONS_PER_ACCOUNT: RateLimit = {
  name: 'creation',
  points: 1_000,
  windowSeconds: HOUR_SECONDS,
};
/** Each may change up to about 100,000 codes. */
export const BULK_ACTS_PER_ACCOUNT: RateLimit = { name: 'bulk', points: 300, windowSeconds: HOUR_SECONDS };
/** Files that an account may upload, and lists of created codes that it may download. */
export const IMPORTS_PER_ACCOUNT: RateLimit = { name: 'import', points: 60, windowSeconds: HOUR_SECONDS };
/** Imports that an account may start, up to 10,000 codes each. */
export const STARTED_IMPORTS_PER_ACCOUNT: RateLimit = {
  name: 'started-import',
  points: 10,
  windowSeconds: HOUR_SECONDS,
};
