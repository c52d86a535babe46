/**
 * How long the marks are kept that keep a thing from being done twice: 13 months, so that what comes round every year
 * still finds its last one.
 */
export const DEDUPE_RETENTION_MS = 396 * 24 * 3_600_000;
