/**
 * How long deduplication keys are kept: 13 months, so that yearly work still finds the key of the previous year.
 */
export const DEDUPE_RETENTION_MS = 396 * 24 * 3_600_000;
