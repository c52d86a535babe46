/** A picture that a code shows: announced in the form, but not yet selectable. */
export const image = { isComing: true } as const;
