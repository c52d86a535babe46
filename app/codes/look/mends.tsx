import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { isDrawable, type Style } from '#contract/style-rules';
import { Button, buttonClass } from '~/ui/button';
import type { Examination } from './scan-report';
import type { Mend } from './style-mends';

interface MendButtonsProps {
  mends: Mend[];
  /** Before the buttons; what the changes are good for. */
  lead?: string;
  /**
   * Label of the form's main button, if that comes after them: Enter presses a form's first button, so a
   * hidden copy of the main one is rendered first.
   */
  main?: string;
  /** Id of their form, if they are rendered outside of it. */
  form?: string;
  formAction?: string;
}

/** Buttons that each apply one fix to the look and show the preview again. */
export function MendButtons({ mends, lead, main, form, formAction }: MendButtonsProps) {
  const { t } = useTranslation('design');
  if (mends.length === 0) return null;
  return (
    <p className="mends">
      {main && (
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true">
          {main}
        </button>
      )}{' '}
      <span>{lead ?? t('mends.lead')}</span>
      {mends.map((mend) => (
        <Button
          key={mend}
          variant="secondary"
          size="small"
          name="mend"
          value={mend}
          form={form}
          formAction={formAction}
        >
          {t(`mends.${mend}`)}
        </Button>
      ))}
    </p>
  );
}

interface CodeMendsProps {
  id: string;
  style: Style;
  /** Absent if the decoders were too busy. */
  examination: Examination | undefined;
}

/** Why a code has no files because of its look, and suggested fixes: each link shows one applied. */
export function CodeMends({ id, style, examination }: CodeMendsProps) {
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
