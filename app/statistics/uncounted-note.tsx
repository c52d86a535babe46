import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';

/** Says how many codes are in no figure because their owner wants their visits uncounted; nothing if there are none. */
export function UncountedNote({ count, isOneCode = false }: { count: number; isOneCode?: boolean }) {
  const { t } = useTranslation('statistics');
  if (count === 0) return null;
  if (isOneCode) return <p className="note">{t('codePage.uncounted')}</p>;
  return (
    <p className="note">
      {t('uncounted', { count })} <Link to="/user/qrcodes?show=uncounted">{t('uncountedList')}</Link>
    </p>
  );
}
