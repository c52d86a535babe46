import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorSummary, type FormError } from '~/ui/error-summary';
import { ModulePicture } from '~/ui/module-art';
import { PageHeading } from '~/ui/page-layouts';

interface Props {
  /** Section of the `account` texts that describes the state of the link. */
  texts:
    | `${'onboarding' | 'reset' | 'confirm'}.${'missing' | 'unknown' | 'used' | 'expired'}`
    | `${'onboarding' | 'forgot'}.sent`;
  errors?: FormError[];
  /** What to do next: a form that requests another link, or where to go instead. */
  children: ReactNode;
}

// An envelope, and a cross.
const SENT = '00ffc3a59981ff00';
const OVER = 'c3e77e3c3c7ee7c3';

/** Replaces the form of a mailed link when the link no longer works or another one has been sent. */
export function ExpiredLink({ texts, errors = [], children }: Props) {
  const { t } = useTranslation('account');
  return (
    <div className="form-page link-over">
      <ModulePicture rows={texts.endsWith('.sent') ? SENT : OVER} />
      <PageHeading title={t(`${texts}.title`)} lead={t(`${texts}.text`)} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}
