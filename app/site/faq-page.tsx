import { readScope } from '~/http/scope.server';
import '~/styles/choice-links.css';
import '~/styles/faq.css';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useArrivedMessages } from '~/i18n/page-messages';
import { useAnnounce } from '~/ui/announcer';
import { buttonClass } from '~/ui/button';
import type { PageHandle } from '~/ui/page-head';
import { EmptyState, PageHeading } from '~/ui/page-layouts';
import { useQuery } from './choice-links';
import { type FaqData, faqData } from './faq.server';
import { FaqEntries, FaqFilter } from './faq-list';
import { findEntries, isSearching, readSearch } from './faq-search';

/** Pause in the typing before the number of results is announced. */
const PAUSE_MS = 600;

export const handle: PageHandle = { page: (data) => (data as FaqData).head, isPublic: true };

export const meta: MetaFunction<typeof loader> = ({ data, location }) => {
  if (!data) return [];
  const found = findEntries(data.entries, readSearch(location.search), data.locale);
  return found.length > 0 ? [{ 'script:ld+json': structuredData(found) }] : [];
};

export async function loader(args: LoaderFunctionArgs) {
  return faqData(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function FaqPage() {
  const { entries, texts, locale, tag } = useLoaderData<typeof loader>();
  useArrivedMessages(tag, { faq: texts });
  const { t } = useTranslation('faq');
  const [query, changeQuery] = useQuery();
  const search = readSearch(query);
  const found = findEntries(entries, search, locale);
  const isSearched = isSearching(search);
  const count = t('search.found', { count: found.length });
  useAnnouncedCount(query, count);

  return (
    <div className="page faq">
      <PageHeading title={t('title')} lead={t('lead')} />
      <FaqFilter query={query} onChange={changeQuery} />
      {isSearched && found.length > 0 && <p className="muted">{count}</p>}
      <FaqEntries entries={found} isOpen={isSearched} />
      {found.length === 0 ? (
        <EmptyState
          title={t('search.none.title', { query: search.text })}
          text={t('search.none.text')}
          action={
            <>
              <Link to="/faq" className={buttonClass('secondary')}>
                {t('categories.all')}
              </Link>{' '}
              <Link to="/contact" className={buttonClass('quiet')}>
                {t('common:nav.contact')}
              </Link>
            </>
          }
        />
      ) : (
        <p>
          <Link to="/contact">{t('contact')}</Link>
        </p>
      )}
    </div>
  );
}

/** Announces the number of results to screen readers once the search has not changed for a moment. */
function useAnnouncedCount(query: string, count: string): void {
  const announce = useAnnounce();
  const announced = useRef(query);
  useEffect(() => {
    if (announced.current === query) return;
    const timer = setTimeout(() => {
      announced.current = query;
      announce(count);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query, count, announce]);
}

/** https://schema.org/FAQPage */
function structuredData(entries: FaqData['entries']) {
  return {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: entries.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer.join('\n') },
    })),
  };
}
