import { type Consent, parseConsent } from './consent/choice';

declare global {
  interface Window {
    dataLayer: unknown[] | undefined;
  }
}

/** The analytics tag from the settings: its id, and the URL of its script. */
export interface AnalyticsTag {
  id: string;
  script: string;
}

interface Page {
  title: string;
  pathname: string;
  search: string;
}

/**
 * 13 months, the longest the CNIL allows for audience measurement (délibération 2020-091); the tag's own
 * default is 24.
 */
const COOKIE_SECONDS = 395 * 24 * 3600;
/** The title of a shared report names whose it is. */
const NEVER_COUNTED = ['/payment-success', '/report'];

let appliedChoice: string | null | undefined;
let counted: { path: string; location: string } | null = null;
let isLoaded = false;

/**
 * Applies the consent choice to the tag, then counts the page unless it was the last one counted. Page views
 * of undecided visitors are only kept in memory; the script is loaded, and anything sent, once measurement is
 * allowed.
 */
export function trackPage(tag: AnalyticsTag, choice: string | null, page: Page): void {
  const consent = choice === null ? null : parseConsent(choice);
  if (choice !== appliedChoice && consent) applyConsent(tag, consent);
  appliedChoice = choice;
  if (consent?.analytics === false || NEVER_COUNTED.includes(page.pathname)) return;
  count(tag, page);
  if (consent) loadScript(tag);
}

function applyConsent(tag: AnalyticsTag, consent: Consent): void {
  Object.assign(window, { [`ga-disable-${tag.id}`]: !consent.analytics });
  if (consent.analytics && !isLoaded) {
    // Pages viewed before the choice are not reported after it.
    window.dataLayer = undefined;
    counted = null;
    start(tag, consent);
  } else if (window.dataLayer) {
    queue('consent', 'update', storageOf(consent));
    if (!consent.analytics) {
      window.dataLayer.length = 0;
      counted = null;
    }
  }
}

/** Denied by default: https://developers.google.com/tag-platform/security/guides/consent */
function start(tag: AnalyticsTag, consent: Consent | null): void {
  window.dataLayer = [];
  queue('consent', 'default', storageOf({ analytics: false, advertising: false }));
  if (consent) queue('consent', 'update', storageOf(consent));
  queue('js', new Date());
  queue('config', tag.id, {
    anonymize_ip: true,
    send_page_view: false,
    cookie_expires: COOKIE_SECONDS,
    cookie_update: false,
  });
}

function storageOf({ analytics, advertising }: Pick<Consent, 'analytics' | 'advertising'>) {
  const word = (isGranted: boolean) => (isGranted ? 'granted' : 'denied');
  return {
    analytics_storage: word(analytics),
    ad_storage: word(advertising),
    ad_user_data: word(advertising),
    ad_personalization: word(advertising),
  };
}

function count(tag: AnalyticsTag, { title, pathname, search }: Page): void {
  const path = pathname + search;
  if (counted?.path === path) return;
  if (!window.dataLayer) start(tag, null);
  const location = reportableUrl(window.location.origin + path);
  const view = { page_title: title, page_path: pathname, page_location: location };
  // Also set globally: for automatic events, the tag would otherwise read the address bar.
  queue('set', { ...view, page_referrer: counted?.location ?? reportableUrl(document.referrer) });
  queue('event', 'page_view', view);
  counted = { path, location };
}

/** A URL without its query, which may contain a one-time token; only `utm_` parameters are kept. */
export function reportableUrl(address: string): string {
  if (!URL.canParse(address)) return '';
  const { origin, pathname, searchParams } = new URL(address);
  const campaign = new URLSearchParams([...searchParams].filter(([name]) => name.startsWith('utm_')));
  return origin + pathname + (campaign.size > 0 ? `?${campaign}` : '');
}

function loadScript({ id, script }: AnalyticsTag): void {
  if (isLoaded) return;
  isLoaded = true;
  const element = document.createElement('script');
  element.src = `${script}?id=${encodeURIComponent(id)}`;
  element.async = true;
  element.addEventListener('error', () => element.remove());
  document.head.append(element);
}

/**
 * The tag recognises a command by the string tag of an Arguments object: arrays mean something else to it.
 */
function queue(...command: unknown[]): void {
  const entry = { ...command, length: command.length };
  window.dataLayer?.push(Object.defineProperty(entry, Symbol.toStringTag, { value: 'Arguments' }));
}
