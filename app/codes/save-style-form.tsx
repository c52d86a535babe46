import { useTranslation } from 'react-i18next';
import { type LastResult, useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { CheckboxField } from '~/ui/checkbox-field';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';

interface Props {
  /** JSON of the look. */
  style: string;
  /** The answer to this form, which says `save-style` in its `intent`. */
  lastResult?: LastResult;
}

/** Keeps a look under a name, for other codes. Stands on the page of a code, and posts to the page of all saved looks. */
export function SaveStyleForm({ style, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const [form, fields] = useAnsweredForm<'name' | 'isDefault'>({ id: 'save-style', lastResult });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <Form {...form.props} action="/user/styles" className="form">
      <ErrorSummary errors={summary} />
      <input type="hidden" name="style" value={style} />
      <Field
        field={{ ...fields.name, required: true }}
        label={t('styles.name')}
        hint={t('styles.nameHint')}
        error={message(fields.name.errors)}
        autoComplete="off"
      />
      <CheckboxField field={fields.isDefault} label={t('styles.beDefault')} />
      <Button variant="secondary" name="intent" value="save-style">
        {t('styles.save')}
      </Button>
    </Form>
  );
}
