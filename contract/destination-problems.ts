/** Why a destination is said to fail: `status` for 404, 410 and 5xx, `moved` for a lasting redirect to another site. */
export const DESTINATION_PROBLEMS = [
  'dns',
  'tls',
  'unreachable',
  'timeout',
  'status',
  'redirects',
  'moved',
] as const;
