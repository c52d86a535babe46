import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { DateTime } from '~/ui/time';
import { State } from './state';

export interface DestinationFailure {
  address: string;
  problem: 'dns' | 'tls' | 'unreachable' | 'timeout' | 'status' | 'redirects' | 'moved';
  status: number | null;
  movedTo: string | null;
  since: string;
  checkedAt: string;
}

interface Props {
  failure: DestinationFailure;
  /** Whether the address is not that of the content. */
  isElsewhere: boolean;
  isLocked: boolean;
}

/** What was seen at the destination of a code, when, and what can be done about it. */
export function DestinationState({ failure, isElsewhere, isLocked }: Props) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const { address, problem, status, movedTo, since, checkedAt } = failure;
  return (
    <State isWarning>
      <strong>{t(problem === 'moved' ? 'watching.hasMoved' : 'watching.fails')}</strong>{' '}
      {t(`watching.problems.${problem}`, { status })}{' '}
      {movedTo && <span className="rule__target">{movedTo}</span>} {t('watching.since')}{' '}
      <DateTime value={since} locale={locale} />. {t('watching.checked')}{' '}
      <DateTime value={checkedAt} locale={locale} />.{' '}
      {isElsewhere && (
        <>
          {t('watching.elsewhere')} <span className="rule__target">{address}</span>{' '}
        </>
      )}
      {!isLocked && (
        <>
          {t('watching.advice')} {!isElsewhere && <a href="#change">{t('watching.change')}</a>}{' '}
          <a href="#watching">{t('watching.toSwitch')}</a>
        </>
      )}
    </State>
  );
}
