const WORDED = [400, 403, 404, 405, 413, 429, 500, 503] as const;

/** Key of the texts in `common:errors` about a status; one without words of its own takes those of its class. */
export function errorTextsOf(status: number): `errors.${(typeof WORDED)[number]}` {
  const known = WORDED.find((worded) => worded === status) ?? (status < 500 ? 400 : 500);
  return `errors.${known}`;
}
