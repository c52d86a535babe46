/** Codes per page of the list; the first is the default. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
