/** What a visitor allows, as it is stored in the browser; refused is what was never asked for. */
export interface Consent {
  necessary: true;
  analytics: boolean;
  advertising: boolean;
}

/** Name of the copy in the browser's local storage. A changed set of categories gets a new version, and a new question. */
export const CONSENT_KEY = 'quadrille.consent.v1';
export const CONSENT_COOKIE = 'consent';
const VERSION = 'v1';

/** `v1.analytics.advertising`: the version, then every category that is allowed. */
export function composeConsent({ analytics, advertising }: Omit<Consent, 'necessary'>): string {
  return [VERSION, analytics && 'analytics', advertising && 'advertising'].filter(Boolean).join('.');
}

/** The stored value in a list of cookies; null when there is none of the current version. */
export function findChoice(cookies: string): string | null {
  return /(?:^|;\s*)consent=(v1(?:\.analytics)?(?:\.advertising)?)(?:;|$)/.exec(cookies)?.[1] ?? null;
}

export function parseConsent(choice: string): Consent {
  const allowed = choice.split('.');
  return {
    necessary: true,
    analytics: allowed.includes('analytics'),
    advertising: allowed.includes('advertising'),
  };
}
