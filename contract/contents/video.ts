/** A film that a code shows: announced in the form, but not yet selectable. */
export const video = { isComing: true } as const;
