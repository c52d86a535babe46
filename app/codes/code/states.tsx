import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { RoutingStates } from '~/codes/rules/routing-states';
import type { TimingView } from '~/codes/rules/timing.server';
import { BlockNotice } from './block-notice';
import { type DestinationFailure, DestinationState } from './destination-state';
import { State } from './state';

/** Id of the text that says why nothing can be changed. */
export const NO_SUBSCRIPTION = 'no-subscription';

interface Props {
  code: {
    blocked: Parameters<typeof BlockNotice>[0]['block'] | null;
    archivedAt: string | null;
    visibility: 'private' | 'public';
    dynamic: boolean;
    content: string;
    destination: DestinationFailure | null;
    visits: { total: number };
  };
  timing: TimingView;
  isLocked: boolean;
}

/** What a reader must know about a code before anything else on its page. */
export function CodeStates({ code, timing, isLocked }: Props) {
  const { blocked, archivedAt, visibility, dynamic, content, destination, visits } = code;
  const { t } = useTranslation('codes');
  return (
    <>
      {blocked && <BlockNotice block={blocked} />}
      {isLocked && <LockedNotice text={t('states.locked.text')} />}
      {destination && (
        <DestinationState
          failure={destination}
          isElsewhere={destination.address !== content}
          isLocked={isLocked}
        />
      )}
      <RoutingStates timing={timing} visits={visits.total} isLocked={isLocked} />
      {archivedAt && (
        <State>
          {t(dynamic ? 'archive.isArchived' : 'archive.isArchivedStatic')}{' '}
          {!isLocked && <a href="#archive">{t('states.back')}</a>}
        </State>
      )}
      {visibility === 'private' && (
        <State>
          {t('visibility.privateText')} {!isLocked && <a href="#visibility">{t('states.open')}</a>}
        </State>
      )}
    </>
  );
}

/** Why nothing can be changed: there is no subscription. */
export function LockedNotice({ text }: { text: string }) {
  const { t } = useTranslation('codes');
  return (
    <State isWarning>
      <strong>{t('states.locked.heading')}.</strong> <span id={NO_SUBSCRIPTION}>{text}</span>{' '}
      <Link to="/user/subscription">{t('states.locked.action')}</Link>
    </State>
  );
}
