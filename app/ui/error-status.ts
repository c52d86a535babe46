const WORDED = [400, 403, 404, 405, 413, 429, 500, 503] as const;

/**
 * Key of the texts in `common:errors` about a status; one without words of its own takes those of its class. What was
 * thrown may say that it has others.
 */
export function errorTextsOf(status: number, thrown?: unknown): `errors.${(typeof WORDED)[number] | 'busy'}` {
  if (((thrown ?? {}) as { texts?: unknown }).texts === 'busy') return 'errors.busy';
  const known = WORDED.find((worded) => worded === status) ?? (status < 500 ? 400 : 500);
  return `errors.${known}`;
}
