import { Form, Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from './button';
import { ErrorSummary, type FormError } from './error-summary';
import { Icon } from './icon';
import { PageHeading } from './page-heading';

interface Props {
  title: ReactNode;
  lead?: ReactNode;
  /** What cannot be undone. */
  warning: ReactNode;
  /** Path the form posts to. */
  action: string;
  /** Of the button; names the thing it destroys. */
  label: ReactNode;
  cancelTo: string;
  errors?: FormError[];
  /** Hidden fields, or a field that the act asks for. */
  children?: ReactNode;
}

/** Asks before a destructive act: a page of its own, whose form does it. */
export function ConfirmPage({ title, lead, warning, action, label, cancelTo, errors = [], children }: Props) {
  const { t } = useTranslation();
  return (
    <div className="form-page">
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} />
      <Form method="post" action={action} className="sheet" noValidate>
        <p className="warning">
          <Icon name="warning" />
          <strong>{warning}</strong>
        </p>
        {children}
        <div className="actions">
          <Button variant="danger">{label}</Button>
          <Link to={cancelTo} className={buttonClass('secondary')}>
            {t('form.cancel')}
          </Link>
        </div>
      </Form>
    </div>
  );
}
