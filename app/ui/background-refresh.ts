import { useFetchers, useNavigation, useRevalidator } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { FailureCode } from './form-route';

const TRY_AGAIN_MS = 2_000;
/** https://github.com/remix-run/remix/blob/v2/packages/remix-react/fog-of-war.ts */
const MANIFEST = '/__manifest';

/** A page whose data the router asks for, and which must not be lost where none comes. */
interface Held {
  pathname: string;
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
  const release = useRef<() => void>();
  useEffect(() => {
    if (state === 'idle') release.current?.();
  }, [state]);
  useEffect(() => {
    if (!isDue || isSending || isNavigating || state !== 'idle') return;
    setIsDue(false);
    release.current = holdPage(window.location.pathname);
    revalidate();
  }, [isDue, isSending, isNavigating, state, revalidate]);
  return useCallback(() => setIsDue(true), []);
}

/**
 * Until what it answers is called, the page at this path stays while its data cannot be loaded anew; `onFailure` hears
 * of every vain try.
 */
export function holdPage(pathname: string, onFailure?: Held['onFailure']): () => void {
  const mine: Held = { pathname, ...(onFailure && { onFailure }) };
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
    if (!page || !(input instanceof URL) || !isFor(page, input) || !changesNothing(init))
      return send(input, init);
    return sendUntilAnswered(() => send(input, init), { ...page, signal: init?.signal });
  };
}

/** Whether the data of this page is asked for, or the routes at its address, as the router does the first time. */
function isFor({ pathname }: Held, { pathname: asked, searchParams }: URL): boolean {
  return asked === MANIFEST ? searchParams.getAll('p').includes(pathname) : asked === dataPathOf(pathname);
}

/** A post that asks for nothing but the page in another language may be sent as often as one likes, too. */
function changesNothing({ method, body }: RequestInit = {}): boolean {
  return method === undefined || (body instanceof URLSearchParams && body.has('lng'));
}

async function sendUntilAnswered(
  send: () => Promise<Response>,
  { signal, onFailure }: Pick<Held, 'onFailure'> & { signal: AbortSignal | null | undefined },
): Promise<Response> {
  for (;;) {
    try {
      const response = await send();
      // To its end, for the connection may be lost on the way.
      if (isAnswer(response))
        return response.body ? new Response(await response.arrayBuffer(), response) : response;
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
  // A list of routes that is out of date has no body.
  if (status === 204) return true;
  const type = headers.get('Content-Type') ?? '';
  return status < 500 && status !== 429 && /^(?:text\/x-script|application\/json)/.test(type);
}

/** https://github.com/remix-run/remix/blob/v2/packages/remix-react/single-fetch.tsx, `singleFetchUrl` */
function dataPathOf(pathname: string): string {
  return pathname === '/' ? '/_root.data' : `${pathname.replace(/\/$/, '')}.data`;
}
