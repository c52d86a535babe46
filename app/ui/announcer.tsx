import { useLocation, useNavigationType } from '@remix-run/react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/**
 * Returns a function that announces a text to screen readers without moving focus, each time it is called.
 */
export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}

/** Renders the live region. It is empty at first, as screen readers announce only what is added later. */
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

/** The last location shown. Not in React state, because the error page mounts a frame of its own. */
let shown: { page: string; key: string } | null = null;

/**
 * After a client-side navigation, focuses the target of the fragment or else the new page's heading, and
 * announces the title of a new page once. On the same page the focus stays, unless what had it is gone, such as
 * the button that deleted its own row. Focusing must not scroll: the router does, and a section would end up in
 * mid-screen.
 */
export function RouteAnnouncer() {
  const announce = useAnnounce();
  const { pathname, search, hash, key, state } = useLocation();
  // A filter that applies at once: the page says what it found, and the next choice is made where the last was.
  // Its history entry keeps this state, but whoever returns to it comes from another page.
  const isReturn = useNavigationType() === 'POP';
  const keepsFocus = !isReturn && (state as { keepsFocus?: boolean } | null)?.keepsFocus === true;
  const page = pathname + search.replace(/([?&])lng=\w*&?/, '$1').replace(/[?&]$/, '');
  useEffect(() => {
    const before = shown;
    shown = { page, key };
    if (!before || before.key === key || keepsFocus) return;
    const isNew = before.page !== page;
    const fragmentTarget = document.getElementById(decodeURIComponent(hash.slice(1)));
    const target = fragmentTarget ?? (isNew || isFocusLost() ? findStart() : null);
    if (target && !target.hasAttribute('tabindex') && target.tabIndex < 0) target.tabIndex = -1;
    target?.focus({ preventScroll: true });
    if (isNew) announce(document.title);
  }, [page, hash, key, keepsFocus, announce]);
  return null;
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function findStart(): HTMLElement | null {
  return document.querySelector('.error-summary') ?? document.querySelector('main h1');
}
