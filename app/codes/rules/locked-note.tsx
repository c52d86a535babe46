import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Icon } from '~/ui/icon';

/** Why nothing on the page can be changed. */
export function LockedNote() {
  const { t } = useTranslation('codes');
  return (
    <div className="notice warning code-state">
      <Icon name="warning" />
      <p>
        <strong>{t('states.locked.heading')}.</strong> {t('routing:locked')}{' '}
        <Link to="/user/subscription">{t('states.locked.action')}</Link>
      </p>
    </div>
  );
}
