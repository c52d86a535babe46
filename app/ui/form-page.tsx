import type { ReactNode } from 'react';
import { ErrorSummary, type FormError } from './error-summary';
import { PageHeading } from './page-heading';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  errors: FormError[];
  /** The form and what stands below it. */
  children: ReactNode;
}

/** A page that is one form: heading, what is wrong, the form. */
export function FormPage({ title, lead, errors, children }: Props) {
  return (
    <div className="form-page">
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}
