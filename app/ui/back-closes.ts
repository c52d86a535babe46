import { useEffect, useRef } from 'react';

/**
 * Gives an open dialog a history entry of its own, so that the Back button closes it without leaving the
 * page. Closing the dialog in any other way removes that entry.
 */
export function useBackCloses(open: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;

  useEffect(() => {
    if (!open) return;
    const { href } = window.location;
    window.history.pushState({ ...window.history.state, dialog: true }, '');
    function onPopState(event: PopStateEvent) {
      // The router handles links to fragments, such as those from an error to its field.
      if (window.location.href !== href || isDialogEntry(event.state)) return;
      hideFromRouter(event);
      latest.current();
    }
    window.addEventListener('popstate', onPopState, true);
    return () => {
      window.removeEventListener('popstate', onPopState, true);
      if (window.location.href !== href || !isDialogEntry(window.history.state)) return;
      window.addEventListener('popstate', hideFromRouter, { capture: true, once: true });
      window.history.back();
    };
  }, [open]);
}

/** Back on the entry of the page itself, the router has nothing to do. */
function hideFromRouter(event: PopStateEvent): void {
  event.stopImmediatePropagation();
}

export function isDialogEntry(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'dialog' in state;
}
