import { useTranslation } from 'react-i18next';
import type { CodeType } from '#contract/contents';
import { Button } from '~/ui/button';
import { Field, TextArea } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface Props {
  code: { type: CodeType; content: string; subject: string; body: string };
  lastResult: LastResult;
}

const LABELS = {
  link: 'design:form.link',
  text: 'design:form.text',
  email: 'design:form.address',
  // Never shown: the content of a Wi-Fi code is in its image and cannot change.
  wifi: 'design:form.ssid',
} as const satisfies Record<CodeType, string>;

/** Changes the destination of a dynamic code; printed copies stay valid. */
export function CodeEditForm({ code, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const { content, subject, body, type } = code;
  const [form, fields] = useServerValidatedForm<'content' | 'subject' | 'body'>({
    id: 'edit',
    lastResult,
    defaultValue: { content, subject, body },
    constraint: { content: { required: true } },
  });
  const { message, summary } = useErrorTexts('design', form);
  const isEmail = type === 'email';
  return (
    <section className="sheet" id="change">
      <h2>{t('edit.heading')}</h2>
      <p>{t('edit.lead')}</p>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value="content" />
        <Field
          field={fields.content}
          type={isEmail ? 'email' : 'text'}
          label={t(LABELS[type])}
          error={message(fields.content?.errors)}
          autoComplete="off"
          spellCheck={false}
        />
        {isEmail && (
          <>
            <Field
              field={fields.subject}
              label={t('design:form.subject')}
              error={message(fields.subject?.errors)}
              optional
            />
            <TextArea
              field={fields.body}
              label={t('design:form.body')}
              error={message(fields.body?.errors)}
              optional
            />
          </>
        )}
        <Button>{t('edit.submit')}</Button>
      </Form>
    </section>
  );
}
