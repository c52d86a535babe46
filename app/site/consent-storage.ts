import { CONSENT_KEY, findChoice, parseConsent } from './consent-choice';

/** The choice in the cookie, after its copy in local storage was made to say the same; null without one. */
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
