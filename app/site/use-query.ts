import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';

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
