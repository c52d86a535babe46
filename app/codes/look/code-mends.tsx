import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import type { Examination } from './scan-report';

/** Suggested fixes for a code's look, and why it has no files without a grade: each link shows one applied. */
export function CodeMends({ id, examination: { scan, mends } }: { id: string; examination: Examination }) {
  const { t } = useTranslation('design');
  return (
    <>
      {scan.grade === null && <p className="warning">{t('codes:one.noGrade')}</p>}
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
