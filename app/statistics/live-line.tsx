import { Link, useLocation } from '@remix-run/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type EventSourceMap, EventSourceProvider } from 'remix-utils/sse/react';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnnounce } from '~/ui/announcer';
import { Button } from '~/ui/button';
import { useLiveFigures } from './use-live-figures';

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
        {isHydrated && <span className="live__state">{t(`live.states.${state}`)}</span>}
        <span>
          {t('live.asOf')} <time dateTime={asOf.at}>{asOf.time}</time>
        </span>
      </p>
      <div className="live__actions">
        {/* Takes up its space until scripts run. */}
        <Button
          type="button"
          variant="secondary"
          size="small"
          className={isHydrated ? 'live__toggle' : 'live__toggle live__toggle--idle'}
          onClick={toggle}
        >
          {t(isPaused ? 'live.resume' : 'live.pause')}
        </Button>
        <Link to={pathname + search} preventScrollReset>
          {t('live.refresh')}
        </Link>
      </div>
    </div>
  );
}
