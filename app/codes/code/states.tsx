import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '~/ui/icon';
import { BlockNotice } from './block-notice';

/** Id of the text that says why nothing can be changed. */
export const NO_SUBSCRIPTION = 'no-subscription';

interface Props {
  code: {
    blocked: Parameters<typeof BlockNotice>[0]['block'] | null;
    archivedAt: string | null;
    visibility: 'private' | 'public';
    dynamic: boolean;
  };
  isLocked: boolean;
}

/** What a reader must know about a code before anything else on its page. */
export function CodeStates({ code: { blocked, archivedAt, visibility, dynamic }, isLocked }: Props) {
  const { t } = useTranslation('codes');
  return (
    <>
      {blocked && <BlockNotice block={blocked} />}
      {isLocked && (
        <State isWarning>
          <strong>{t('states.locked.heading')}.</strong>{' '}
          <span id={NO_SUBSCRIPTION}>{t('states.locked.text')}</span>{' '}
          <Link to="/user/subscription">{t('states.locked.action')}</Link>
        </State>
      )}
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

interface StateProps {
  isWarning?: boolean;
  children: ReactNode;
}

function State({ isWarning = false, children }: StateProps) {
  return (
    <div className={`notice code-state${isWarning ? ' warning' : ''}`}>
      <Icon name={isWarning ? 'warning' : 'info'} />
      <p>{children}</p>
    </div>
  );
}
