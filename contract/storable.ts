/** Whether a database can keep a text: PostgreSQL has no U+0000 (its manual, section 8.3), UTF-8 no lone surrogates. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}
