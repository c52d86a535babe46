/**
 * Header of every response to a visit of which no trace may be kept: no program on its way writes a log line about it,
 * and whoever wants to check finds it there.
 */
export const UNCOUNTED_HEADERS = { 'X-Visits-Counted': 'no' };
const [[NAME, VALUE]] = Object.entries(UNCOUNTED_HEADERS) as [[string, string]];

export function isUncounted(header: (name: string) => unknown): boolean {
  return header(NAME) === VALUE;
}
