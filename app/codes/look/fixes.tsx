import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { isDrawable, type Style } from '#contract/style-rules';
import { Button, buttonClass } from '~/ui/button';
import type { Examination } from './scan-report';
import type { Fix } from './style-fixes';

interface FixButtonsProps {
  fixes: Fix[];
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
export function FixButtons({ fixes, lead, main, form, formAction }: FixButtonsProps) {
  const { t } = useTranslation('design');
  if (fixes.length === 0) return null;
  return (
    <p className="fixes">
      {main && (
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true">
          {main}
        </button>
      )}{' '}
      <span>{lead ?? t('fixes.lead')}</span>
      {fixes.map((fix) => (
        <Button
          key={fix}
          variant="secondary"
          size="small"
          name="fix"
          value={fix}
          form={form}
          formAction={formAction}
        >
          {t(`fixes.${fix}`)}
        </Button>
      ))}
    </p>
  );
}

interface CodeFixesProps {
  id: string;
  style: Style;
  /** Absent if the decoders were too busy. */
  examination: Examination | undefined;
}

/** Why a code has no files because of its look, and suggested fixes: each link shows one applied. */
export function CodeFixes({ id, style, examination }: CodeFixesProps) {
  const fixes = examination?.fixes ?? [];
  const { t } = useTranslation('design');
  return (
    <>
      {!isDrawable(style.caption) && <p className="warning">{t('codes:one.noCaption')}</p>}
      {examination?.scan.grade === null && <p className="warning">{t('codes:one.noGrade')}</p>}
      {fixes.length > 0 && (
        <p className="actions">
          <span>{t('fixes.lead')}</span>
          {fixes.map((fix) => (
            <Link
              key={fix}
              to={`/user/qrcodes/${id}/look?fix=${fix}#look-preview`}
              className={buttonClass('secondary', 'small')}
            >
              {t(`fixes.${fix}`)}
            </Link>
          ))}
        </p>
      )}
    </>
  );
}
