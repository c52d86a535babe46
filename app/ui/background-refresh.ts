import { useCallback, useEffect, useRef, useState } from 'react';
import { useAnnounce } from './announcer';

const RETRY_DELAY_MS = 2_000;
/** How long a submission waits for a reload of the page's data before it is sent anyway. */
const MAX_RELOAD_WAIT_MS = 2_000;
/** https://github.com/remix-run/remix/blob/v2/packages/remix-react/fog-of-war.ts */
const MANIFEST = '/__manifest';

/** How long a page waits to be replaced by the response to a form; a form that downloads a file does not replace it. */
const NATIVE_SUBMIT_MS = 30_000;

/**
 * Records when the browser itself submitted a form. Part of the document, because that may happen before any file of
 * scripts has arrived. No quotes and no angle brackets: React would escape them.
 */
export const NATIVE_SUBMIT_RECORDER =
  'addEventListener(`submit`,function(e){setTimeout(function(){if(!e.defaultPrevented)self.nativeSubmitAt=Date.now()})})';

declare global {
  interface Window {
    nativeSubmitAt?: number;
  }
}

/** Milliseconds for which a form that the browser itself submitted may still replace the page. */
export function nativeSubmitMsLeft(): number {
  return Math.max(0, (window.nativeSubmitAt ?? 0) + NATIVE_SUBMIT_MS - Date.now());
}

/** A page that stays on screen although loading its data fails. */
interface Held {
  pathname: string;
  onFailure?: (failure: 'network' | 'unavailable') => void;
}

let held: Held | null = null;

/**
 * Returns a function that reloads the page's data. The reload waits while a form is being submitted: the router would
 * drop the form's redirect, as the reload began later. Asks the router itself, whose state React renders with a delay.
 */
export function useBackgroundRefresh(): () => void {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!isDue) return;
    return onceIdle(() => {
      setIsDue(false);
      reloadData();
    });
  }, [isDue]);
  return useCallback(() => setIsDue(true), []);
}

/**
 * Call when a form is about to be redirected. The router drops the redirect if another navigation, such as that of
 * another form, began after the form was sent: the page that is shown then would lack what the form has changed, and
 * the message about it, so its data is reloaded.
 */
export function reloadIfDropped(): void {
  const router = window.__remixRouter;
  const before = router.state.navigation;
  setTimeout(() => {
    const { navigation } = router.state;
    if (navigation === before || navigation.state === 'idle') onceIdle(reloadData);
  });
}

function onceIdle(callback: () => void): () => void {
  return whenRouter(() => (isRouterIdle() ? nativeSubmitMsLeft() : Number.POSITIVE_INFINITY), callback);
}

function reloadData(): void {
  const router = window.__remixRouter;
  const release = holdPage(window.location.pathname);
  const unsubscribe = router.subscribe(() => {
    if (isReloading()) return;
    release();
    unsubscribe();
  });
  router.revalidate();
}

export function isReloading(): boolean {
  return window.__remixRouter.state.revalidation !== 'idle';
}

export function isBeingRedirected(): boolean {
  return window.__remixRouter.state.navigation.location?.state?._isRedirect === true;
}

function isRouterIdle(): boolean {
  const { navigation, fetchers } = window.__remixRouter.state;
  const isSending = [...fetchers.values()].some(({ formMethod }) => formMethod !== undefined);
  return navigation.state === 'idle' && !isSending && !isReloading();
}

/**
 * Calls back once the page's data is not being reloaded, after two seconds at the latest. Returns a function that
 * cancels this.
 */
export function afterReload(callback: () => void): () => void {
  const latest = Date.now() + MAX_RELOAD_WAIT_MS;
  return whenRouter(() => (isReloading() ? latest - Date.now() : 0), callback);
}

/**
 * Calls back once `msLeft` is not positive, which is computed anew whenever the router's state changes and when that
 * time has passed. Returns a function that cancels this.
 */
function whenRouter(msLeft: () => number, callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  // Never within the router's own update, in which it accepts no new navigation.
  const schedule = (delay = 0) => {
    clearTimeout(timer);
    if (delay < Number.POSITIVE_INFINITY) timer = setTimeout(check, delay);
  };
  const unsubscribe = window.__remixRouter.subscribe(() => schedule());
  const cancel = () => {
    clearTimeout(timer);
    unsubscribe();
  };
  const check = () => {
    const left = msLeft();
    if (left > 0) return schedule(left);
    cancel();
    callback();
  };
  schedule();
  return cancel;
}

/**
 * Reloads the page's data every `everyMs` milliseconds, `most` times at most, while something is running and the page
 * is visible; announces the outcome to screen readers when it has ended.
 */
export function usePolling(
  isRunning: boolean,
  outcome: string,
  { everyMs, most = Number.POSITIVE_INFINITY }: { everyMs: number; most?: number },
): void {
  const refresh = useBackgroundRefresh();
  const announce = useAnnounce();
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) announce(outcome);
    wasRunning.current = isRunning;
  }, [announce, isRunning, outcome]);
  useEffect(() => {
    if (!isRunning) return;
    let polls = 0;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      polls += 1;
      if (polls >= most) clearInterval(timer);
      refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [isRunning, everyMs, most, refresh]);
}

/**
 * Keeps the page at this path on screen, even if its data cannot be reloaded, until the returned function is
 * called. `onFailure` is called after every failed attempt.
 */
export function holdPage(pathname: string, onFailure?: Held['onFailure']): () => void {
  const mine: Held = { pathname, ...(onFailure && { onFailure }) };
  held = mine;
  return () => {
    if (held === mine) held = null;
  };
}

/**
 * After a failed request the router shows the error page, and everything typed is lost. Requests for a page
 * that is held are therefore retried until there is a response or the router aborts them. The router calls
 * `window.fetch` directly and offers no hook, so it is replaced.
 */
export function retryFailedLoads(): void {
  const send = window.fetch;
  window.fetch = (input, init) => {
    const page = held;
    if (!page || !(input instanceof URL) || !isFor(page, input) || !isRepeatable(init))
      return send(input, init);
    return sendWithRetries(() => send(input, init), { ...page, signal: init?.signal });
  };
}

/** Whether a request is for the data of this page, or for its routes, which the router requests once. */
function isFor({ pathname }: Held, { pathname: requested, searchParams }: URL): boolean {
  return requested === MANIFEST
    ? searchParams.getAll('p').includes(pathname)
    : requested === dataPathOf(pathname);
}

/**
 * Whether a request changes nothing. A POST that only requests the page in another language does not either.
 */
function isRepeatable({ method, body }: RequestInit = {}): boolean {
  return method === undefined || (body instanceof URLSearchParams && body.has('lng'));
}

async function sendWithRetries(
  send: () => Promise<Response>,
  { signal, onFailure }: Pick<Held, 'onFailure'> & { signal: AbortSignal | null | undefined },
): Promise<Response> {
  for (;;) {
    try {
      const response = await send();
      // Read in full, because the connection may fail midway.
      if (isFinal(response))
        return response.body ? new Response(await response.arrayBuffer(), response) : response;
      onFailure?.('unavailable');
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      onFailure?.('network');
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}

/**
 * Whether the website itself has decided about the page. Pages of a proxy and temporary failures are retried.
 */
function isFinal({ status, headers }: Response): boolean {
  // The response to an outdated manifest request, which has no body.
  if (status === 204) return true;
  const type = headers.get('Content-Type') ?? '';
  return status < 500 && status !== 429 && /^(?:text\/x-script|application\/json)/.test(type);
}

/** https://github.com/remix-run/remix/blob/v2/packages/remix-react/single-fetch.tsx, `singleFetchUrl` */
function dataPathOf(pathname: string): string {
  return pathname === '/' ? '/_root.data' : `${pathname.replace(/\/$/, '')}.data`;
}
