import { useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { putTyped, readTyped, type Typed } from './typed-values';

/** Forms remembered at a time, the last ones left. */
const MOST = 20;

/** What forms held when they were left, in this document only: gone with it, and told to no server. */
const kept = new Map<string, Typed[]>();

/**
 * Fills a form again with what it held when it was left without a page load: on the same step of the browser's
 * history, or wherever it opens again when it has a `place` of its own. Browsers do so for documents only.
 */
export function useKeptTyping(id: string, place?: string): void {
  const { key } = useLocation();
  const step = useRef('');
  step.current = place ?? `${id} ${key}`;

  useEffect(() => {
    const form = document.getElementById(id);
    if (!(form instanceof HTMLFormElement)) return;
    const typed = kept.get(step.current);
    if (typed) putTyped(form, typed);
    return () => {
      kept.delete(step.current);
      kept.set(step.current, readTyped(form));
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    };
  }, [id]);
}

/** Forgets what was typed at a place, or everywhere: the next person may be somebody else. */
export function forgetTyping(place?: string): void {
  if (place === undefined) kept.clear();
  else kept.delete(place);
}
