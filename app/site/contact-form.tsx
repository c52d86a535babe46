import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { useCaptcha } from '~/ui/captcha';
import { CheckboxField, EmailField, Field, SelectField, TextArea } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { ModulePicture } from '~/ui/module-art';
import { FormPage, PageHeading } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import type { ContactData } from './contact.server';
import { LinkedText } from './linked-text';

type Fields = Record<'email' | 'firstname' | 'lastname' | 'subject' | 'message' | 'person', string>;

interface Props {
  data: ContactData;
  lastResult: LastResult;
}

export function ContactForm({ data, lastResult }: Props) {
  const { sender, constraint, subjects, contactEmail, captcha, reference } = data;
  const { t } = useTranslation('contact');
  const robot = useCaptcha(captcha, 'contact');
  const [form] = useServerValidatedForm<keyof Fields>({
    id: 'contact',
    lastResult,
    defaultValue: { ...sender, ...(reference && { message: `${t('aboutOrder', { reference })}\n` }) },
    constraint,
  });
  const { control, summary } = useErrorTexts('contact', form);
  // Stays when its error disappears, which it does as soon as the box is ticked.
  const isRequested = Boolean(lastResult?.error?.person || lastResult?.initialValue?.person);

  const textOf = (name: keyof Fields) => ({ ...control(name), label: t(`fields.${name}`) });

  return (
    <FormPage title={t('heading')} lead={t('lead')} errors={summary}>
      <Form action="/contact" {...form.props} prepare={robot.prepare} className="form contact">
        <FormKey value={data.key} />
        <EmailField
          {...textOf('email')}
          hint={t('hints.email')}
          maxLength={constraint.email?.maxLength}
          autoComplete="email"
        />
        <Field
          {...textOf('firstname')}
          maxLength={constraint.firstname?.maxLength}
          autoComplete="given-name"
        />
        <Field
          {...textOf('lastname')}
          maxLength={constraint.lastname?.maxLength}
          autoComplete="family-name"
        />
        <SelectField
          {...textOf('subject')}
          options={[
            { value: '', label: t('hints.subject') },
            ...subjects.map((value) => ({ value, label: t(`subjects.${value}`) })),
          ]}
        />
        {/* No maxLength: pasted text would be cut off silently. */}
        <TextArea {...textOf('message')} hint={t('hints.message')} />
        <Honeypot />
        {isRequested && <CheckboxField {...textOf('person')} />}
        {robot.fields}
        <div className="actions">
          <Button>{t('send')}</Button>
          <span>
            <LinkedText>{t('direct', { contactEmail })}</LinkedText>
          </span>
        </div>
      </Form>
      <p className="contact-answer muted">
        <Icon name="clock" />
        {t('answer')}
      </p>
    </FormPage>
  );
}

/**
 * For robots only: not visible, not in the tab order, and hidden from screen readers. Nothing that browsers and password
 * managers know is called a comment, and the attributes tell the latter to ignore it.
 */
function Honeypot() {
  const { t } = useTranslation('contact');
  return (
    <div className="sr-only" aria-hidden="true">
      <label htmlFor="contact-comment">{t('fields.comment')}</label>
      <input
        id="contact-comment"
        name="comment"
        type="text"
        tabIndex={-1}
        autoComplete="off"
        data-1p-ignore
        data-bwignore
        data-lpignore="true"
        data-form-type="other"
      />
    </div>
  );
}

// An envelope.
const ENVELOPE = '00ff c3a5 9981 ff00'.replaceAll(' ', '');

/** Confirms that the message arrived, and says what happens next. */
export function ContactSent() {
  const { t } = useTranslation('contact');
  return (
    <div className="form-page contact-sent">
      <ModulePicture rows={ENVELOPE} />
      <PageHeading title={t('sent.title')} lead={t('sent.text')} />
      <p>{t('answer')}</p>
      <div className="actions">
        <Link to="/contact" className={buttonClass('secondary')}>
          {t('sent.another')}
        </Link>
      </div>
    </div>
  );
}
