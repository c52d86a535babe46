import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { EmptyState } from '~/ui/page-layouts';

/** Figures need a subscription; counting goes on without one. */
export function NoSubscription() {
  const { t } = useTranslation('statistics');
  return (
    <EmptyState
      title={t('locked.title')}
      text={t('locked.text')}
      action={
        <Link to="/user/subscription" className={buttonClass()}>
          {t('locked.action')}
        </Link>
      }
    />
  );
}
