import { hourly } from '#host/http/rate-limit';

/** Designs of people without an account; a school or a company may share one address. */
export const DRAFTS_PER_IP = hourly('draft', 300);
/** Logos of people without an account. */
export const DRAFT_UPLOADS_PER_IP = hourly('upload', 60);
/** Decoding and redrawing logos is the one costly part of creating a code. */
export const UPLOADS_PER_ACCOUNT = hourly('upload-account', 200);
/** Several accounts may share an address. */
export const UPLOADS_PER_IP = hourly('upload-ip', 400);
/** Enough to make a code for every table of a restaurant. */
export const CREATIONS_PER_ACCOUNT = hourly('creation', 1_000);
/** Each writes a row or more of history; a key makes as many at most. */
export const CHANGES_PER_ACCOUNT = hourly('change', 20_000);
/** Of up to 1,000 codes each: as many codes as started imports may make. */
export const BATCHES_PER_ACCOUNT = hourly('creation-batch', 100);
/** Each may change up to about 100,000 codes. */
export const BULK_ACTS_PER_ACCOUNT = hourly('bulk', 300);
/** Each reads up to about 100,000 codes. */
export const BULK_PREVIEWS_PER_ACCOUNT = hourly('bulk-preview', 300);
/** Files that an account may upload, and lists of created codes that it may download. */
export const IMPORTS_PER_ACCOUNT = hourly('import', 60);
/** Imports that an account may start, up to 10,000 codes each. */
export const STARTED_IMPORTS_PER_ACCOUNT = hourly('started-import', 10);
