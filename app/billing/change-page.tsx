import { Form, Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { PageHeading } from '~/ui/page-heading';

interface Props {
  title: string;
  /** What the change means, with its moment and its sum. */
  text: string;
  action: string;
  label: string;
}

/** Asks before a change of the subscription that costs money. */
export function ChangePage({ title, text, action, label }: Props) {
  const { t } = useTranslation('billing');
  return (
    <div className="form-page">
      <PageHeading title={title} />
      <Form method="post" action={action} className="sheet" noValidate>
        <p>{text}</p>
        <div className="actions">
          <Button>{label}</Button>
          <Link to="/user/subscription" className={buttonClass('secondary')}>
            {t('common:form.cancel')}
          </Link>
        </div>
      </Form>
    </div>
  );
}
