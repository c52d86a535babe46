import { Link } from '@remix-run/react';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { PageHeading } from '~/ui/page-heading';

interface Props {
  title: string;
  /** What the change means, with its moment and its sum. */
  text: string;
  action: string;
  label: string;
  /** Of the way out, by what it keeps: “Cancel” could be read as cancelling the subscription. */
  keepLabel: string;
}

/** Asks before a change of the subscription that costs money. */
export function ChangePage({ title, text, action, label, keepLabel }: Props) {
  return (
    <div className="form-page">
      <PageHeading title={title} />
      <Form action={action} className="sheet" noValidate>
        <p>{text}</p>
        <div className="actions">
          <Button>{label}</Button>
          <Link to="/user/subscription" className={buttonClass('secondary')}>
            {keepLabel}
          </Link>
        </div>
      </Form>
    </div>
  );
}
