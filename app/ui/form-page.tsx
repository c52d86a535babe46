import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
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
  useErrorTitle(errors.length > 0);
  return (
    <div className="form-page">
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}

/** The server writes the prefix into a whole page; an answer that React shows has to be named here. */
function useErrorTitle(hasErrors: boolean): void {
  const { t } = useTranslation();
  const prefix = `${t('form.errorPrefix')} `;
  useEffect(() => {
    const plain = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title;
    document.title = hasErrors ? prefix + plain : plain;
  }, [hasErrors, prefix]);
}
