import type { RateLimit } from '#host/http/rate-limit';

const HOUR = 60 * 60;

/** Designs of people who have no account yet; a school or a company may be one address. */
export const DRAFTS_PER_IP: RateLimit = { name: 'draft', points: 300, windowSeconds: HOUR };
/** Logos of people who have no account yet. */
export const DRAFT_UPLOADS_PER_IP: RateLimit = { name: 'upload', points: 60, windowSeconds: HOUR };
/** Logos are decoded and drawn anew: the one costly part of making a code. */
export const UPLOADS_PER_ACCOUNT: RateLimit = { name: 'upload-account', points: 200, windowSeconds: HOUR };
/** Several accounts may share an address. */
export const UPLOADS_PER_IP: RateLimit = { name: 'upload-ip', points: 400, windowSeconds: HOUR };
/** Enough for whoever makes a code for every table of a house. */
export const CREATIONS_PER_ACCOUNT: RateLimit = { name: 'creation', points: 1_000, windowSeconds: HOUR };
/** Each may be about 100,000 codes. */
export const BULK_ACTS_PER_ACCOUNT: RateLimit = { name: 'bulk', points: 300, windowSeconds: HOUR };
/** Files that an account may send to be read, and tables of what was made that it may fetch. */
export const IMPORTS_PER_ACCOUNT: RateLimit = { name: 'import', points: 60, windowSeconds: HOUR };
/** Files that may become codes, up to 10,000 each. */
export const STARTED_IMPORTS_PER_ACCOUNT: RateLimit = {
  name: 'started-import',
  points: 10,
  windowSeconds: HOUR,
};
