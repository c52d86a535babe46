import { HOST_PREFIX } from '#contract/cookie-names';

/** What a visitor allows, as stored in the browser; categories without a choice are refused. */
export interface Consent {
  necessary: true;
  analytics: boolean;
  advertising: boolean;
}

/** Changes with the set of categories, so that visitors are asked again. */
const VERSION = 'v1';
/** Key of the copy in the browser's local storage. */
const CONSENT_KEY = `quadrille.consent.${VERSION}`;
export const CONSENT_COOKIE = 'consent';
const STORED = new RegExp(`^${VERSION}(?:\\.analytics)?(?:\\.advertising)?$`);

/** `v1.analytics.advertising`: the version, then every category that is allowed. */
export function composeConsent({ analytics, advertising }: Omit<Consent, 'necessary'>): string {
  return [VERSION, analytics && 'analytics', advertising && 'advertising'].filter(Boolean).join('.');
}

/**
 * The stored choice in a Cookie header; null if there is none of the current version. Over TLS, only the
 * prefixed cookie counts, which no other host can set.
 */
export function findChoice(cookies: string, isHttps: boolean): string | null {
  const start = `${isHttps ? HOST_PREFIX : ''}${CONSENT_COOKIE}=`;
  const stored = cookies.split(/;\s*/).find((cookie) => cookie.startsWith(start));
  const choice = stored?.slice(start.length) ?? '';
  return STORED.test(choice) ? choice : null;
}

export function parseConsent(choice: string): Consent {
  const allowed = choice.split('.');
  return {
    necessary: true,
    analytics: allowed.includes('analytics'),
    advertising: allowed.includes('advertising'),
  };
}

/** Copies the cookie's choice to local storage and returns it; null without one. */
export function mirrorChoice(): string | null {
  const choice = findChoice(document.cookie, window.location.protocol === 'https:');
  try {
    if (choice === null) localStorage.removeItem(CONSENT_KEY);
    else localStorage.setItem(CONSENT_KEY, JSON.stringify(parseConsent(choice)));
  } catch {
    // Storage may be forbidden or full; the cookie is what counts.
  }
  return choice;
}

/** Sends the form without leaving the page; false when the choice was not stored. */
export async function sendChoice(form: HTMLFormElement, submitter: HTMLElement | null): Promise<boolean> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) body.set(name, String(value));
  try {
    const response = await fetch('/cookies?stay', { method: 'POST', body });
    return response.status === 204;
  } catch {
    return false;
  }
}
