import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import type { Mend } from './style-mends';

/** Why a code has no files, with suggested fixes: each link shows the look with one applied. */
export function NoGrade({ id, mends }: { id: string; mends: Mend[] }) {
  const { t } = useTranslation('design');
  return (
    <>
      <p className="warning">{t('codes:one.noGrade')}</p>
      {mends.length > 0 && (
        <p className="actions">
          <span>{t('mends.lead')}</span>
          {mends.map((mend) => (
            <Link
              key={mend}
              to={`/user/qrcodes/${id}/look?mend=${mend}#preview`}
              className={buttonClass('secondary', 'small')}
            >
              {t(`mends.${mend}`)}
            </Link>
          ))}
        </p>
      )}
    </>
  );
}
