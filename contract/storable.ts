/** Whether a database can keep a text: PostgreSQL has no U+0000 (its manual, section 8.3), UTF-8 no lone surrogates. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}

/** The first characters (code points) of a text. */
export function firstCharacters(text: string, limit: number): string {
  return Array.from(text.slice(0, 2 * limit))
    .slice(0, limit)
    .join('');
}

/** Whether a text has more characters (code points) than `limit`; one that is far longer is not counted. */
export function isLonger(text: string, limit: number): boolean {
  // Every character is one UTF-16 unit or two.
  return text.length > 2 * limit || Array.from(text).length > limit;
}
