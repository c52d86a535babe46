import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { isDrawable, type Style } from '#contract/style-rules';
import { buttonClass } from '~/ui/button';
import type { Examination } from './scan-report';

interface Props {
  id: string;
  style: Style;
  /** Absent if the decoders were too busy. */
  examination: Examination | undefined;
}

/** Why a code has no files because of its look, and suggested fixes: each link shows one applied. */
export function CodeMends({ id, style, examination }: Props) {
  const mends = examination?.mends ?? [];
  const { t } = useTranslation('design');
  return (
    <>
      {!isDrawable(style.caption) && <p className="warning">{t('codes:one.noCaption')}</p>}
      {examination?.scan.grade === null && <p className="warning">{t('codes:one.noGrade')}</p>}
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
