import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { CodeType, FieldName } from '#contract/contents/contents';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { Button } from '~/ui/button';
import { Field, TextArea } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { Changeable } from './changeable';

interface Props {
  id: string;
  type: CodeType;
  content: { main: FieldName; values: Partial<Record<FieldName, string>> };
  isLocked: boolean;
  lastResult: LastResult;
  /** How many rules come before it; null for a type without rules. */
  rules: number | null;
}

/** Changes the destination of a dynamic code; printed copies stay valid. */
export function TargetForm({ id, type, content: { main, values }, isLocked, lastResult, rules }: Props) {
  const { t } = useTranslation('codes');
  const { control, label, isMultiline, isOptional, hint, Details, Lead } = CONTENT_FORMS[type];
  const [form, fields] = useServerValidatedForm<FieldName>({
    id: 'edit',
    lastResult,
    defaultValue: values,
    constraint: { [main]: { required: !isOptional } },
  });
  const { message, summary } = useErrorTexts('design', form);
  const field = {
    field: fields[main],
    label: t(`design:form.${label}`),
    hint: Details && hint && t(`design:form.${hint}`),
    error: message(fields[main].errors),
    autoComplete: 'off',
    spellCheck: false,
  };
  return (
    <section className="sheet" id="change">
      <h2>{t(Lead ? 'edit.target' : 'edit.heading')}</h2>
      <ErrorSummary errors={summary} />
      <Form
        {...form.props}
        className={Details || isMultiline ? 'target-form' : 'target-form target-form--line'}
      >
        <input type="hidden" name="intent" value="content" />
        <Changeable isLocked={isLocked}>
          {isMultiline ? (
            <TextArea {...field} />
          ) : (
            <Field {...field} type={control.type} inputMode={control.inputMode} />
          )}
          {Details && <Details fields={fields} message={message} />}
          <Button variant="secondary">{t('edit.submit')}</Button>
        </Changeable>
      </Form>
      {!isLocked && <p className="hint">{t('edit.lead')}</p>}
      {rules !== null && <RulesLine id={id} count={rules} />}
    </section>
  );
}

/** Says whether rules come before the target, and leads to them. */
function RulesLine({ id, count }: { id: string; count: number }) {
  const { t } = useTranslation('routing');
  return (
    <p>
      {count > 0 ? t('line.some', { count }) : t('line.none')}{' '}
      <Link to={`/user/qrcodes/${id}/rules`}>{t(count > 0 ? 'line.open' : 'line.add')}</Link>
    </p>
  );
}
