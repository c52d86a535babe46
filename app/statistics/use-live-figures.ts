import { useCallback, useEffect, useRef, useState } from 'react';
import { type EventSourceMap, useEventSource } from 'remix-utils/sse/react';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useBackgroundRefresh } from '~/ui/background-refresh';

/** Between two requests: a scan shall be on the screen within a second, also right after another. */
const PAUSE_MS = 600;
/** Figures that came with the page longer ago than this are asked for anew once the stream is open. */
const FRESH_MS = 3_000;

export type LiveState = 'waiting' | 'live' | 'paused' | 'lost';

/**
 * Asks for the page's figures again whenever the stream says that they have changed. `sources` is the map of the
 * provider around the caller: the library's hook keeps its connection there and does not tell of its troubles.
 */
export function useLiveFigures(stream: string, sources: EventSourceMap) {
  const [isPaused, setIsPaused] = useState(false);
  const [connection, setConnection] = useState<Exclude<LiveState, 'paused'>>('waiting');
  useEffect(() => setIsPaused(isSavingData()), []);
  const isHydrated = useHydrated();
  const isInView = useWatched(readIsInView, 'visibilitychange');
  const isOnline = useWatched(readIsOnline, 'online', 'offline');
  const isEnabled = isHydrated && isInView && isOnline && !isPaused;
  const changed = useEventSource(stream, { event: 'visits', enabled: isEnabled });
  const refresh = useRefresh(isEnabled);
  const arrivedAt = useRef<number | null>(null);

  useEffect(() => {
    arrivedAt.current ??= Date.now();
    const source = isEnabled ? sources.get(`${stream}::`)?.source : undefined;
    if (!source) return;
    setConnection('waiting');
    const onError = () => setConnection('lost');
    const onReady = () => {
      setConnection('live');
      // What happened while nobody listened is told by no event.
      if (Date.now() - (arrivedAt.current ?? 0) > FRESH_MS) refresh();
      arrivedAt.current = 0;
    };
    source.addEventListener('error', onError);
    source.addEventListener('ready', onReady);
    return () => {
      source.removeEventListener('error', onError);
      source.removeEventListener('ready', onReady);
    };
  }, [isEnabled, stream, sources, refresh]);

  useEffect(() => {
    if (changed !== null) refresh();
  }, [changed, refresh]);

  const state: LiveState = isPaused ? 'paused' : isOnline ? connection : 'lost';
  return [state, setIsPaused] as const;
}

/** Whoever saves data asks for news by hand: https://wicg.github.io/savedata/ */
function isSavingData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData ?? false;
}

/** At once, or as soon as the last time is long enough ago; what is due is dropped when nobody listens any more. */
function useRefresh(isEnabled: boolean): () => void {
  const refresh = useBackgroundRefresh();
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>();

  useEffect(() => {
    if (!isEnabled) return;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isEnabled]);

  return useCallback(() => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        last.current = Date.now();
        refresh();
      },
      Math.max(0, last.current + PAUSE_MS - Date.now()),
    );
  }, [refresh]);
}

/** False in a tab that nobody looks at. */
const readIsInView = () => document.visibilityState === 'visible';
const readIsOnline = () => navigator.onLine;

/** What a property of the browser says, true until scripts run; `events` of the window tell when it may have changed. */
function useWatched(read: () => boolean, ...events: string[]): boolean {
  const [value, setValue] = useState(true);
  const names = events.join(' ');
  useEffect(() => {
    const update = () => setValue(read());
    update();
    for (const name of names.split(' ')) window.addEventListener(name, update);
    return () => {
      for (const name of names.split(' ')) window.removeEventListener(name, update);
    };
  }, [read, names]);
  return value;
}
