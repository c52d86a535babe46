import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CATEGORIES, type FaqEntry } from './faq-search';
import { LinkedText } from './linked-text';

interface Props {
  entries: FaqEntry[];
  /** Shows the answers: somebody is looking for a word in them. */
  isOpen: boolean;
}

export function FaqEntries({ entries, isOpen }: Props) {
  const { t } = useTranslation('faq');
  useOpenedByFragment();
  return CATEGORIES.map((category) => {
    const own = entries.filter((entry) => entry.category === category);
    if (own.length === 0) return null;
    return (
      <section key={category} className="faq-group" aria-labelledby={`faq-${category}`}>
        <h2 id={`faq-${category}`}>{t(`categories.${category}`)}</h2>
        <div className="faq-list">
          {own.map((entry) => (
            <details key={entry.slug} open={isOpen}>
              <summary>{entry.question}</summary>
              {/* A fragment opens what it points into, also without scripts; on the element itself it would not. */}
              <div id={entry.slug} className="answer">
                {entry.answer.map((paragraph) => (
                  <p key={paragraph}>
                    <LinkedText>{paragraph}</LinkedText>
                  </p>
                ))}
              </div>
            </details>
          ))}
        </div>
      </section>
    );
  });
}

/** Does for a navigation within the site what the browser does for a page load: opens the answer and goes there. */
function useOpenedByFragment(): void {
  const { hash, key } = useLocation();
  const arrived = useRef(true);
  useEffect(() => {
    const isArrival = arrived.current;
    arrived.current = false;
    if (!key || hash.length < 2) return;
    const answer = document.getElementById(decodeURIComponent(hash.slice(1)));
    const entry = answer?.closest('details');
    if (!answer || !entry || (isArrival && entry.open)) return;
    entry.open = true;
    answer.tabIndex = -1;
    answer.focus({ preventScroll: true });
    answer.scrollIntoView();
  }, [hash, key]);
}
