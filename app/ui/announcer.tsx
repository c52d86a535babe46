import { useLocation } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Speaks a text to screen readers without moving the focus; saying the same again is heard again. */
export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}

/** Holds the region that is empty when the page arrives: only what is put in later is spoken. */
export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ text: '', count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      <div role="status" className="sr-only">
        <span key={said.count}>{said.text}</span>
      </div>
    </AnnounceContext.Provider>
  );
}

/** The last step that was shown; the frame may not be the same one, as the page for errors has its own. */
let shown: { page: string; key: string } | null = null;

/**
 * After a navigation without a page load: focus on what the fragment names, else on the new page's heading, and the
 * title of a new page spoken once. The router scrolls; a focus that did too would leave a section in mid-screen.
 */
export function RouteAnnouncer() {
  const announce = useAnnounce();
  const { pathname, search, hash, key } = useLocation();
  const page = pathname + search.replace(/([?&])lng=\w*&?/, '$1').replace(/[?&]$/, '');
  useEffect(() => {
    const before = shown;
    shown = { page, key };
    if (!before || before.key === key) return;
    const isNew = before.page !== page;
    const named = document.getElementById(decodeURIComponent(hash.slice(1)));
    const target = named ?? (isNew ? findStart() : null);
    if (target && !target.hasAttribute('tabindex') && target.tabIndex < 0) target.tabIndex = -1;
    target?.focus({ preventScroll: true });
    if (isNew) announce(document.title);
  }, [page, hash, key, announce]);
  return null;
}

function findStart(): HTMLElement | null {
  return document.querySelector('.error-summary') ?? document.querySelector('main h1');
}
