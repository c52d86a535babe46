import { data } from '@remix-run/node';
import { LOCALES, type Locale } from '#contract/locales';
import { choiceCookie, isHttps } from '~/http/cookies.server';
import { env } from '~/http/env.server';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { requireSameOrigin } from '~/http/guards.server';
import { safePath } from '~/http/safe-path';
import type { Scope } from '~/http/scope.server';
import { i18nOf, messagesOf } from '~/i18n/messages.server';
import type { LegalSection } from '~/site/legal/legal.server';
import { CONSENT_COOKIE, composeConsent, findChoice, parseConsent } from './choice';
import type { BannerTexts } from './consent';

const TABLES = ['technical', 'analytics', 'advertising'];

const banners = new Map<Locale, BannerTexts>();

/** The banner's texts for a visitor who has not chosen yet; null on /cookies, which has the form itself. */
export function findBanner(scope: Scope): BannerTexts | null {
  if (readChoice(scope) !== null || scope.url.pathname === '/cookies') return null;
  const { locale } = scope;
  const known = banners.get(locale);
  if (known) return known;
  const { t } = i18nOf(locale);
  const texts = {
    label: t('consent:banner.label'),
    text: t('consent:banner.text'),
    accept: t('consent:banner.accept'),
    reject: t('consent:banner.reject'),
    customise: t('consent:banner.customise'),
    saved: t('consent:banner.saved'),
    failed: t('consent:banner.failed'),
  };
  banners.set(locale, texts);
  return texts;
}

/** Data of /cookies: the current choice, the texts of its form, and the tables of the cookie policy. */
export async function consentData(scope: Scope) {
  const { locale } = scope;
  const choice = readChoice(scope);
  const sections = i18nOf(locale).t('legal:cookie.sections', { returnObjects: true }) as LegalSection[];
  return {
    consent: choice === null ? null : parseConsent(choice),
    sections: sections.filter(({ id }) => TABLES.includes(id)),
    origin: env.PUBLIC_URL,
    messages: messagesOf(locale, ['consent']),
    tag: LOCALES[locale].tag,
  };
}
/**
 * Stores a choice: `all`, or `analytics` and `advertising` individually; anything but an explicit yes is a
 * no. With `?stay` responds 204, on which browsers keep the page with everything typed into it; those that
 * would show an empty page instead return to it.
 */
export async function handleConsent(scope: Scope) {
  requireSameOrigin(scope.request);
  const form = await readForm(scope, ['all', 'analytics', 'advertising', 'back']);
  const isAll = form.has('all');
  const choice = composeConsent({
    analytics: isAll || form.get('analytics') === 'yes',
    advertising: isAll || form.get('advertising') === 'yes',
  });
  const cookies = [choiceCookie(CONSENT_COOKIE, choice)];
  if (!parseConsent(choice).analytics) cookies.push(...expiredTagCookies(scope));
  const { headers } = scope.request;
  const isBanner = scope.url.searchParams.has('stay');
  if (isBanner && keepsPage(headers)) {
    return data(null, {
      status: 204,
      headers: cookies.map((cookie): [string, string] => ['Set-Cookie', cookie]),
    });
  }
  const notice = { type: 'success', key: 'consent_saved' } as const;
  const back = isBanner ? pathOf(headers.get('referer')) : safePath(form.get('back'), '/cookies');
  return redirectWithFlash(back, notice, cookies);
}

/** True for scripts, and for browsers that send fetch metadata; text browsers show a 204 as an empty page. */
function keepsPage(headers: Headers): boolean {
  return headers.has('sec-fetch-mode') || !headers.get('accept')?.includes('text/html');
}

function pathOf(address: string | null): string {
  const url = address && URL.canParse(address) ? new URL(address) : null;
  return url ? safePath(url.pathname + url.search) : '/';
}

function readChoice(scope: Scope): string | null {
  return findChoice(scope.request.headers.get('cookie') ?? '', isHttps);
}

/**
 * Expires the analytics cookies at once. The tag sets them for the widest domain it can, so each one is
 * tried.
 */
function expiredTagCookies(scope: Scope): string[] {
  const names = [...(scope.request.headers.get('cookie') ?? '').matchAll(/(?:^|;\s*)(_ga\w*)=/g)].map(
    ([, name]) => name,
  );
  const labels = new URL(env.PUBLIC_URL).hostname.split('.');
  const domains = labels.slice(1).map((_, cut) => `; Domain=${labels.slice(cut).join('.')}`);
  return names.flatMap((name) => ['', ...domains].map((domain) => `${name}=; Path=/; Max-Age=0${domain}`));
}

/**
 * The analytics tag for root's loader data; without an id, an empty object that does not even reveal its
 * name.
 */
export const analyticsData = env.ANALYTICS_ID
  ? { analytics: { id: env.ANALYTICS_ID, script: env.ANALYTICS_SCRIPT_URL } }
  : {};
