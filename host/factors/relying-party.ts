/** Whom passkeys are made for: the host of the website's address, whatever a request says of it. */
export function relyingPartyOf(publicUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}
