import { useEffect, useRef } from 'react';
import { isBeingRedirected } from './background-refresh';

type Handler = (event: PopStateEvent) => void;

const handlers = new Set<Handler>();

/**
 * Call before the router is created: Chromium calls the listeners of a window in the order in which they were added,
 * even those that capture, and the router would reload the page whenever a dialog closes.
 */
export function handleBackBeforeRouter(): void {
  addEventListener('popstate', (event) => {
    for (const handle of handlers) handle(event);
  });
}

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
    // A page that was reloaded with an open dialog still has the entry of that one.
    const dialog = Date.now();
    const isOwn = (state: unknown) => isDialogEntry(state) && state.dialog === dialog;
    window.history.pushState({ ...window.history.state, dialog }, '');
    function onPopState(event: PopStateEvent) {
      // The router handles links to fragments, such as those from an error to its field.
      if (window.location.href !== href || isOwn(event.state)) return;
      hideFromRouter(event);
      latest.current();
    }
    handlers.add(onPopState);
    return () => {
      handlers.delete(onPopState);
      if (window.location.href !== href || !isOwn(window.history.state)) return;
      handlers.add(hideFromRouter);
      window.history.back();
    };
  }, [open]);
}

/** Back on the entry of the page itself, the router has nothing to do but to end a redirect of the dialog's form. */
function hideFromRouter(event: PopStateEvent): void {
  handlers.delete(hideFromRouter);
  if (!isBeingRedirected()) event.stopImmediatePropagation();
}

export function isDialogEntry(state: unknown): state is { dialog: unknown } {
  return typeof state === 'object' && state !== null && 'dialog' in state;
}
