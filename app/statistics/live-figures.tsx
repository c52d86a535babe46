import { Link, useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type EventSourceMap, EventSourceProvider, useEventSource } from 'remix-utils/sse/react';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnnounce } from '~/ui/announcer';
import { useBackgroundRefresh } from '~/ui/background-refresh';
import { Button } from '~/ui/button';

interface Props {
  /** URL of the event stream. */
  stream: string;
  asOf: { at: string; time: string };
}

/** The age of the figures, and how to refresh them: automatically with scripts, by a link everywhere. */
export function LiveLine(props: Props) {
  const [sources] = useState<EventSourceMap>(() => new Map());
  return (
    <EventSourceProvider value={sources}>
      <LiveStatus {...props} sources={sources} />
    </EventSourceProvider>
  );
}

function LiveStatus({ stream, asOf, sources }: Props & { sources: EventSourceMap }) {
  const { t } = useTranslation('statistics');
  const { pathname, search } = useLocation();
  const announce = useAnnounce();
  const isHydrated = useHydrated();
  const [state, setIsPaused] = useLiveFigures(stream, sources);
  const isPaused = state === 'paused';

  function toggle() {
    setIsPaused(!isPaused);
    announce(t(isPaused ? 'live.resumed' : 'live.paused'));
  }

  return (
    <div className={`live live--${isHydrated ? state : 'still'}`}>
      <p>
        {/* These take up their space until scripts run. */}
        <span className="live__state">{isHydrated && t(`live.states.${state}`)}</span>
        <span>
          {t('live.asOf')} <time dateTime={asOf.at}>{asOf.time}</time>
        </span>
      </p>
      <div className="live__actions">
        <Button type="button" variant="secondary" size="small" className="live__toggle" onClick={toggle}>
          {t(isPaused ? 'live.resume' : 'live.pause')}
        </Button>
        <Link to={pathname + search} preventScrollReset>
          {t('live.refresh')}
        </Link>
      </div>
    </div>
  );
}

/** Pause between two requests: a scan should show up within a second, even right after another. */
const PAUSE_MS = 600;
/** Figures older than this are reloaded once the stream is open. */
const FRESH_MS = 3_000;

type LiveState = 'waiting' | 'live' | 'paused' | 'lost';

/**
 * Reloads the page's figures whenever the stream says that they have changed. `sources` is the map of the provider
 * around the caller: the library's hook keeps its connection there and does not report errors.
 */
function useLiveFigures(stream: string, sources: EventSourceMap) {
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
      // Changes made while the stream was closed send no event.
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

/** With data saving on, refreshing is manual: https://wicg.github.io/savedata/ */
function isSavingData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData ?? false;
}

/** Refreshes at once, or as soon as the pause is over; a pending refresh is dropped when disabled. */
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

/** False in a hidden tab. */
const readIsInView = () => document.visibilityState === 'visible';
const readIsOnline = () => navigator.onLine;

/** A browser property, true until scripts run and read again on these window `events`. */
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
