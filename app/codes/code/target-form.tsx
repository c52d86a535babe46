import { useTranslation } from 'react-i18next';
import type { CodeType, FieldName } from '#contract/contents/contents';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { Changeable } from './changeable';

interface Props {
  code: { type: CodeType; content: string; subject: string; body: string };
  isLocked: boolean;
  lastResult: LastResult;
}

/** Changes the destination of a dynamic code; printed copies stay valid. */
export function TargetForm({ code, isLocked, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const { content, subject, body, type } = code;
  const [form, fields] = useServerValidatedForm<FieldName>({
    id: 'edit',
    lastResult,
    defaultValue: { content, subject, body },
    constraint: { content: { required: true } },
  });
  const { message, summary } = useErrorTexts('design', form);
  const { control, label, Details, Lead } = CONTENT_FORMS[type];
  return (
    <section className="sheet" id="change">
      <h2>{t(Lead ? 'edit.target' : 'edit.heading')}</h2>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className={Details ? 'target-form' : 'target-form target-form--line'}>
        <input type="hidden" name="intent" value="content" />
        <Changeable isLocked={isLocked}>
          <Field
            field={fields.content}
            type={control.type}
            inputMode={control.inputMode}
            label={t(`design:form.${label}`)}
            error={message(fields.content?.errors)}
            autoComplete="off"
            spellCheck={false}
          />
          {Details && <Details fields={fields} message={message} />}
          <Button variant="secondary">{t('edit.submit')}</Button>
        </Changeable>
      </Form>
      {!isLocked && <p className="hint">{t('edit.lead')}</p>}
    </section>
  );
}
