import { useLocation } from '@remix-run/react';
import { useEffect } from 'react';

/** The measuring tag of the settings: its id, and the address of its script. */
export interface AnalyticsTag {
  id: string;
  script: string;
}

/**
 * Reports every page that a navigation opens, the first included. `choice` is the stored consent, null without one,
 * undefined before it was looked up. Without a tag nothing is even loaded.
 */
export function usePageViews(tag: AnalyticsTag | undefined, choice: string | null | undefined): void {
  const { pathname, search } = useLocation();
  const { id, script } = tag ?? {};
  useEffect(() => {
    if (!id || !script || choice === undefined) return;
    const page = { title: document.title, pathname, search };
    import('./analytics').then(
      ({ followVisit }) => followVisit({ id, script }, choice, page),
      // A blocker may keep the file away; that is an answer too.
      () => undefined,
    );
  }, [id, script, choice, pathname, search]);
}
