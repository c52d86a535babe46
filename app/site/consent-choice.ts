/** What a visitor allows, as it is stored in the browser; refused is what was never asked for. */
export interface Consent {
  necessary: true;
  analytics: boolean;
  advertising: boolean;
}

/** A changed set of categories gets a new version, and a new question. */
const VERSION = 'v1';
/** Name of the copy in the browser's local storage. */
export const CONSENT_KEY = `quadrille.consent.${VERSION}`;
export const CONSENT_COOKIE = 'consent';
const STORED = new RegExp(
  `(?:^|;\\s*)${CONSENT_COOKIE}=(${VERSION}(?:\\.analytics)?(?:\\.advertising)?)(?:;|$)`,
);

/** `v1.analytics.advertising`: the version, then every category that is allowed. */
export function composeConsent({ analytics, advertising }: Omit<Consent, 'necessary'>): string {
  return [VERSION, analytics && 'analytics', advertising && 'advertising'].filter(Boolean).join('.');
}

/** The stored value in a list of cookies; null when there is none of the current version. */
export function findChoice(cookies: string): string | null {
  return STORED.exec(cookies)?.[1] ?? null;
}

export function parseConsent(choice: string): Consent {
  const allowed = choice.split('.');
  return {
    necessary: true,
    analytics: allowed.includes('analytics'),
    advertising: allowed.includes('advertising'),
  };
}
