import { Link } from '@remix-run/react';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { PageHeading } from '~/ui/page-layouts';

interface Props {
  title: string;
  /** What the change means, with its date and amount. */
  text: string;
  action: string;
  /** What the button asks for, if the page alone does not say it: hidden fields. */
  fields?: Record<string, string>;
  label: string;
  /** Label of the link back, naming what is kept: “Cancel” could be read as cancelling the subscription. */
  keepLabel: string;
}

/** Confirmation before a subscription change that costs money. */
export function ChangePage({ title, text, action, fields = {}, label, keepLabel }: Props) {
  return (
    <div className="form-page">
      <PageHeading title={title} />
      <Form action={action} className="sheet" noValidate>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
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
