import { useFetchers, useNavigation, useRevalidator } from '@remix-run/react';
import { useCallback, useEffect, useState } from 'react';
import type { FailureCode } from './form-route';

const TRY_AGAIN_MS = 2_000;

/** A page whose data the router asks for, and which must not be lost where none comes. */
interface Held {
  /** Address of the data. */
  path: string;
  onFailure?: (failure: FailureCode) => void;
}

let held: Held | null = null;

/**
 * Answers what loads the page's data anew; while a form is being sent it waits. A loader may redirect, say from
 * something that was just deleted, and of two redirects the router follows the loader's.
 */
export function useBackgroundRefresh(): () => void {
  const { revalidate, state } = useRevalidator();
  const [isDue, setIsDue] = useState(false);
  const isSending = useFetchers().some(({ formMethod }) => formMethod !== undefined);
  const isNavigating = useNavigation().state !== 'idle';
  useEffect(() => {
    if (!isDue || isSending || isNavigating || state !== 'idle') return;
    setIsDue(false);
    const release = holdPage(window.location.pathname);
    revalidate();
    // The router asks before the next task, twice for a page with a `clientLoader`.
    setTimeout(release);
  }, [isDue, isSending, isNavigating, state, revalidate]);
  return useCallback(() => setIsDue(true), []);
}

/**
 * Until what it answers is called, the page at this path stays while its data cannot be loaded anew; `onFailure` hears
 * of every vain try.
 */
export function holdPage(pathname: string, onFailure?: Held['onFailure']): () => void {
  const mine: Held = { path: dataPathOf(pathname), ...(onFailure && { onFailure }) };
  held = mine;
  return () => {
    if (held === mine) held = null;
  };
}

/**
 * A failed request takes the router to the page for errors, and all that was typed with it. Requests for a page that is
 * held are tried again until there is an answer or the router goes elsewhere; it lets nobody between itself and
 * `fetch`.
 */
export function outlastFailedLoads(): void {
  const send = window.fetch;
  window.fetch = (input, init) => {
    const page = held;
    const isHeld = input instanceof URL && input.pathname === page?.path && changesNothing(init);
    if (!isHeld) return send(input, init);
    return sendUntilAnswered(() => send(input, init), { ...page, signal: init?.signal });
  };
}

/** A post that asks for nothing but the page in another language may be sent as often as one likes, too. */
function changesNothing({ method, body }: RequestInit = {}): boolean {
  return method === undefined || (body instanceof URLSearchParams && body.has('lng'));
}

async function sendUntilAnswered(
  send: () => Promise<Response>,
  { signal, onFailure }: Omit<Held, 'path'> & { signal: AbortSignal | null | undefined },
): Promise<Response> {
  for (;;) {
    try {
      const response = await send();
      // To its end, for the connection may be lost on the way.
      if (isAnswer(response)) return new Response(await response.arrayBuffer(), response);
      onFailure?.('unavailable');
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      onFailure?.('network');
    }
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
}

/** Of the website, and not a proxy's, which may say later what it really thinks of the page. */
function isAnswer({ status, headers }: Response): boolean {
  return status < 500 && status !== 429 && headers.get('Content-Type')?.startsWith('text/x-script') === true;
}

/** https://github.com/remix-run/remix/blob/v2/packages/remix-react/single-fetch.tsx, `singleFetchUrl` */
function dataPathOf(pathname: string): string {
  return pathname === '/' ? '/_root.data' : `${pathname.replace(/\/$/, '')}.data`;
}
