import { useEffect, useRef } from 'react';

/**
 * Gives an open dialog an entry of its own in the browser's history, so that the button Back closes it and leaves the
 * page alone. Closed in any other way, it takes that entry away.
 */
export function useBackCloses(open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;

  useEffect(() => {
    if (!open) return;
    const { href } = window.location;
    window.history.pushState({ ...window.history.state, dialog: true }, '');
    function onPopState(event: PopStateEvent) {
      // Steps to a fragment, such as the field that an error is about, are the router's.
      if (window.location.href !== href || isDialogEntry(event.state)) return;
      stop(event);
      latest.current();
    }
    window.addEventListener('popstate', onPopState, true);
    return () => {
      window.removeEventListener('popstate', onPopState, true);
      if (window.location.href !== href || !isDialogEntry(window.history.state)) return;
      window.addEventListener('popstate', stop, { capture: true, once: true });
      window.history.back();
    };
  }, [open]);
}

/** Back on the page's own entry the router has nothing to do. */
function stop(event: PopStateEvent): void {
  event.stopImmediatePropagation();
}

export function isDialogEntry(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'dialog' in state;
}
