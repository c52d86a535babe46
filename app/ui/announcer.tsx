import { useLocation } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';

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

/** After a navigation without a page load: focus on the new page's heading, its title spoken once. */
export function RouteAnnouncer() {
  const announce = useAnnounce();
  const { pathname, search, hash } = useLocation();
  const page = pathname + search.replace(/([?&])lng=\w*&?/, '$1').replace(/[?&]$/, '');
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    const target =
      document.getElementById(decodeURIComponent(hash.slice(1))) ??
      document.querySelector<HTMLElement>('.error-summary') ??
      document.querySelector<HTMLElement>('main h1');
    if (target && !target.hasAttribute('tabindex')) target.tabIndex = -1;
    target?.focus({ preventScroll: hash === '' });
    announce(document.title);
  }, [page, hash, announce]);
  return null;
}
