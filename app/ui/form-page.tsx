import type { ReactNode } from 'react';
import { ErrorSummary, type FormError } from './error-summary';
import { PageHeading } from './page-heading';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  errors: FormError[];
  /** The form and anything below it. */
  children: ReactNode;
}

/** A page with one form: heading, error summary, form. */
export function FormPage({ title, lead, errors, children }: Props) {
  return (
    <div className="form-page">
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}
