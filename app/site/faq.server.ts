import { z } from 'zod';
import { LOCALES, type Locale } from '#contract/locales';
import type { Scope } from '~/http/scope.server';
import { i18nOf, messagesOf } from '~/i18n/messages.server';
import { CATEGORIES, type FaqEntry, findEntries, isSearching, readSearch } from './faq-search';
import { getSite, type Site } from './pricing.server';

const Entries = z.record(
  z.string(),
  z.object({
    category: z.enum(CATEGORIES),
    question: z.string(),
    answer: z.array(z.string()),
    words: z.string(),
  }),
);

/**
 * All questions and answers in the visitor's language, and the page's own texts: together they are too large
 * to send with every page. The title reflects the search.
 */
export async function faqData(scope: Scope) {
  const { locale } = scope;
  const site = await getSite(scope);
  const entries = entriesOf(site, locale);
  const { entries: _, ...texts } = messagesOf(locale, ['faq']).faq ?? {};
  return {
    entries,
    texts,
    locale,
    tag: LOCALES[locale].tag,
    head: headOf(entries, scope.url.search, locale),
  };
}
export type FaqData = Awaited<ReturnType<typeof faqData>>;

function entriesOf(site: Site, locale: Locale): FaqEntry[] {
  const { appName, contactEmail, trialHours, withdrawalDays, refundMinDays, refundMaxDays } = site;
  const filled: unknown = i18nOf(locale).t('faq:entries', {
    appName,
    contactEmail,
    trialHours,
    withdrawalDays,
    refundMinDays,
    refundMaxDays,
    returnObjects: true,
  });
  return Object.entries(Entries.parse(filled)).map(([slug, entry]) => ({ slug, ...entry }));
}

function headOf(entries: FaqEntry[], query: string, locale: Locale) {
  const { t } = i18nOf(locale);
  const search = readSearch(query);
  const title = t('faq:title');
  const description = t('faq:description');
  if (!isSearching(search)) return { title, description };
  const count = findEntries(entries, search, locale).length;
  return { title: `${t('faq:search.found', { count })} – ${title}`, description };
}
