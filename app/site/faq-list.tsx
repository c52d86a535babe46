import { useLocation } from '@remix-run/react';
import { type FormEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Icon } from '~/ui/icon';
import { ChoiceLinks, withQuery } from './choice-links';
import { CATEGORIES, type FaqEntry, readSearch } from './faq-search';
import { LinkedText } from './linked-text';

interface FilterProps {
  query: string;
  onChange: (values: Record<string, string>) => void;
}

/** A search form handled by the server; with scripts, the page updates on every keystroke. */
export function FaqFilter({ query, onChange }: FilterProps) {
  const { t } = useTranslation('faq');
  const { category, text } = readSearch(query);
  const input = useRef<HTMLInputElement>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const { key } = useLocation();
  const shown = useRef<string>();

  useEffect(() => {
    const field = input.current;
    const isArrival = shown.current === undefined;
    if (!field || shown.current === key) return;
    shown.current = key;
    // On arrival, input from before hydration wins; later, a navigation overwrites the field.
    if (!isArrival) field.value = text;
    else if (field.value.trim() !== text) changed.current({ q: field.value });
  }, [key, text]);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onChange({ q: input.current?.value ?? '' });
  }

  const choices = (['all', ...CATEGORIES] as const).map((value) => ({
    value,
    label: t(`categories.${value}`),
    to: `/faq${withQuery(query, { category: value === 'all' ? '' : value })}`,
  }));

  return (
    <search className="faq-filter">
      <form method="get" action="/faq" onSubmit={onSubmit}>
        {category !== 'all' && <input type="hidden" name="category" value={category} />}
        <label htmlFor="faq-search">{t('search.label')}</label>
        <div className="with-suffix">
          <input
            ref={input}
            id="faq-search"
            type="search"
            name="q"
            className="input"
            defaultValue={text}
            maxLength={100}
            autoComplete="off"
            enterKeyHint="search"
            onInput={(event) => onChange({ q: event.currentTarget.value })}
          />
          <Button variant="secondary">
            <Icon name="search" />
            {t('search.button')}
          </Button>
        </div>
      </form>
      <ChoiceLinks
        label={t('categories.label')}
        choices={choices}
        chosen={category}
        onChoose={(value) => onChange({ category: value === 'all' ? '' : value })}
      />
    </search>
  );
}

interface EntriesProps {
  entries: FaqEntry[];
  /** Expands the answers, because the visitor is searching for a word in them. */
  isOpen: boolean;
}

export function FaqEntries({ entries, isOpen }: EntriesProps) {
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
              {/* The id is inside: a fragment opens the `<details>` it points into, even without scripts, but
                  not one it points to. */}
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

/**
 * Opens the answer in the fragment and scrolls to it on client-side navigation, as the browser does on page
 * load.
 */
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
