import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { State } from '~/codes/code/state';
import { useLocale } from '~/i18n/use-locale';
import { formatNumber } from '~/ui/format';
import { DateTime } from '~/ui/time';
import type { TimingView } from './timing.server';

interface Props {
  timing: TimingView;
  /** Visits of the code so far. */
  visits: number;
  isLocked: boolean;
}

/** Whether a code is paused, has ended or will end, and whether another target will take over. */
export function RoutingStates({ timing: { pause, end, schedule }, visits, isLocked }: Props) {
  const { t } = useTranslation('routing');
  const locale = useLocale();
  const inFigures = (count: number) => formatNumber(count, LOCALES[locale].tag);
  return (
    <>
      {pause && (
        <State isWarning>
          {t('states.paused')} {!isLocked && <a href="#pause">{t('states.resume')}</a>}
        </State>
      )}
      {end?.hasEnded && (
        <State isWarning>
          {t('states.ended')}{' '}
          {end.target ? (
            <>
              {t('states.endedTarget')} <span className="rule__target">{end.target}</span>
            </>
          ) : (
            t('states.endedMessage')
          )}{' '}
          {!isLocked && <a href="#end">{t('states.changeEnd')}</a>}
        </State>
      )}
      {end && !end.hasEnded && (
        <State>
          {end.at && (
            <>
              {t('states.endsAt')} <DateTime value={end.at} locale={locale} />.{' '}
            </>
          )}
          {end.visits !== null && (
            <span suppressHydrationWarning>
              {t('states.endsAfter', { visits: inFigures(end.visits), now: inFigures(visits) })}
            </span>
          )}{' '}
          {!isLocked && <a href="#end">{t('states.changeEnd')}</a>}
        </State>
      )}
      {schedule && (
        <State>
          {t('states.changesAt')} <DateTime value={schedule.at} locale={locale} />:{' '}
          <span className="rule__target">{schedule.target}</span>{' '}
          {!isLocked && <a href="#schedule">{t('states.changeSchedule')}</a>}
        </State>
      )}
    </>
  );
}
