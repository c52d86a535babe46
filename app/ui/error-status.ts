const WITH_TEXTS = [400, 403, 404, 405, 413, 429, 500, 503] as const;

/**
 * Key in `common:errors` of the texts for a status; one without texts of its own has those of its class. What
 * was thrown may request the texts `busy` instead.
 */
export function errorTextsOf(
  status: number,
  thrown?: unknown,
): `errors.${(typeof WITH_TEXTS)[number] | 'busy'}` {
  if (((thrown ?? {}) as { texts?: unknown }).texts === 'busy') return 'errors.busy';
  const known = WITH_TEXTS.find((own) => own === status) ?? (status < 500 ? 400 : 500);
  return `errors.${known}`;
}
