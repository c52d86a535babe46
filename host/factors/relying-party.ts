/** The relying party of passkeys: the host of the configured website URL, never that of a request. */
export function relyingPartyOf(publicUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

/** The library that verifies passkeys, loaded on first use: it takes 0.2 seconds and 30 MB. */
export const loadWebAuthn = () => import('@simplewebauthn/server');
