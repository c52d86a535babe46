import { Link, useLocation } from '@remix-run/react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { isPlainClick } from '~/ui/plain-click';

interface Choice {
  value: string;
  label: ReactNode;
  /** Path of the page with this choice made. */
  to: string;
}

interface Props {
  label: string;
  choices: Choice[];
  chosen: string;
  /** Makes the choice without a navigation; without scripts, the link is followed instead. */
  onChoose: (value: string) => void;
}

/** One of a few views of the same page. */
export function ChoiceLinks({ label, choices, chosen, onChoose }: Props) {
  return (
    <nav className="choices" aria-label={label}>
      <ul>
        {choices.map(({ value, label: text, to }) => (
          <li key={value}>
            <Link
              to={to}
              replace
              preventScrollReset
              aria-current={value === chosen ? 'true' : undefined}
              onClick={(event) => {
                if (!isPlainClick(event)) return;
                event.preventDefault();
                onChoose(value);
              }}
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Browsers reject URL changes on every keystroke. */
const ADDRESS_DELAY_MS = 250;

/**
 * The URL's query, and a function that changes it without a navigation, for a page that already has all its
 * data: focus and scroll position are kept, and the URL can be shared and reloaded. An empty value removes
 * its parameter.
 */
export function useQuery() {
  const { search, key } = useLocation();
  const [changed, setChanged] = useState({ key, search });
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const current = changed.key === key ? changed.search : search;

  // A page that was left must not change the URL of the next, even if it is the same page again.
  useEffect(() => {
    if (key) return () => clearTimeout(timer.current);
  }, [key]);

  const change = useCallback(
    (values: Record<string, string>) => {
      const next = withQuery(new URLSearchParams(current), values);
      setChanged({ key, search: next });
      clearTimeout(timer.current);
      const entry = window.history.state?.key;
      timer.current = setTimeout(() => {
        // A navigation has started: the router changes the URL before it renders the page.
        if (window.history.state?.key !== entry) return;
        const { pathname, hash } = window.location;
        window.history.replaceState(window.history.state, '', pathname + next + hash);
      }, ADDRESS_DELAY_MS);
    },
    [current, key],
  );
  return [current, change] as const;
}

/** A query such as `?q=logo`, with some values set or removed; empty when nothing is left. */
export function withQuery(query: string | URLSearchParams, values: Record<string, string>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next.size > 0 ? `?${next}` : '';
}
