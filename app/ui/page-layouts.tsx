import { Link } from '@remix-run/react';
import type { ComponentProps, ReactNode } from 'react';
import { Button, buttonClass } from './button';
import { Form } from './form';
import { ErrorSummary, type FormError } from './form-errors';
import { Icon } from './icon';
import { ModulePicture } from './module-art';

interface PageHeadingProps {
  /** Link to the page above. */
  back?: ReactNode;
  title: ReactNode;
  lead?: ReactNode;
  /** Links or buttons that belong to the whole page. */
  children?: ReactNode;
}

/** The page's one `h1`. */
export function PageHeading({ back, title, lead, children }: PageHeadingProps) {
  return (
    <div className="page-heading">
      {back && <p>{back}</p>}
      <h1>{title}</h1>
      {lead && <p className="lead">{lead}</p>}
      {children && <div className="actions">{children}</div>}
    </div>
  );
}

interface FormPageProps {
  title: ReactNode;
  lead?: ReactNode;
  errors: FormError[];
  /** Besides that of every page with one form. */
  className?: string | undefined;
  /** The form and anything below it. */
  children: ReactNode;
}

/** A page with one form: heading, error summary, form. */
export function FormPage({ title, lead, errors, className, children }: FormPageProps) {
  return (
    <div className={className ? `form-page ${className}` : 'form-page'}>
      <PageHeading title={title} lead={lead} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}

interface ConfirmPageProps {
  title: ReactNode;
  lead?: ReactNode;
  /** What cannot be undone. */
  warning: ReactNode;
  /** Path the form posts to. */
  action: string;
  /** Of the button; names what is destroyed. */
  label: ReactNode;
  cancelTo: string;
  /** Of the link back; names what is kept, because “Cancel” could be taken for the action itself. */
  keepLabel: ReactNode;
  errors?: FormError[];
  /** Of a form with fields, whose errors a switch of language or theme submits: its action must read it. */
  form?: Omit<ComponentProps<typeof Form>, 'children'>;
  /** Besides that of every page with one form. */
  className?: string | undefined;
  /** A button for what can be undone, beside the others. */
  instead?: ReactNode;
  /** Hidden fields, or a field that the action needs. */
  children?: ReactNode;
}

/** A page that asks for confirmation of a destructive action, with a form that carries it out. */
export function ConfirmPage(props: ConfirmPageProps) {
  const { title, lead, warning, action, label, cancelTo, keepLabel, instead, children } = props;
  const { errors = [], form, className } = props;
  return (
    <FormPage title={title} lead={lead} errors={errors} className={className}>
      <Form action={action} className="form" noValidate {...form}>
        <p className="warning">
          <Icon name="warning" />
          <strong>{warning}</strong>
        </p>
        {children}
        <div className="actions">
          <Button variant="danger">{label}</Button>
          {instead}
          <Link to={cancelTo} className={buttonClass('secondary')}>
            {keepLabel}
          </Link>
        </div>
      </Form>
    </FormPage>
  );
}

interface SheetProps {
  title?: ReactNode;
  /** Id of the section, for links to it. */
  id?: string;
  className?: string;
  children: ReactNode;
}

/** A sheet of paper with a hairline round it. */
export function Sheet({ title, id, className, children }: SheetProps) {
  return (
    <section id={id} className={className ? `sheet ${className}` : 'sheet'}>
      {title && <h2>{title}</h2>}
      {children}
    </section>
  );
}

interface EmptyStateProps {
  title: ReactNode;
  text: ReactNode;
  /** Link or button to go on with. */
  action?: ReactNode;
}

/** Shown in place of an empty list. */
export function EmptyState({ title, text, action }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <ModulePicture rows="e7a5e70000e0a0e0" />
      <h2>{title}</h2>
      <p>{text}</p>
      {action && <div className="actions">{action}</div>}
    </div>
  );
}
