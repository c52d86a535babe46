/** Codes on a page of the list; the first is the usual one. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
