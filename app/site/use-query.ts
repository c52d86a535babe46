import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';

/** Browsers refuse an address that changes with every key. */
const ADDRESS_DELAY_MS = 250;

/**
 * The address's query, and a way to change it without a navigation, for a page that has everything already: focus
 * and scroll position stay, and the address remains one to share and to reload. An empty value removes its name.
 */
export function useQuery() {
  const { search, key } = useLocation();
  const [changed, setChanged] = useState({ key, search });
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const current = changed.key === key ? changed.search : search;

  // A page that was left must not write into the address of the next, be it the same page anew.
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
        // The router changes the address before the page it leads to is drawn.
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
