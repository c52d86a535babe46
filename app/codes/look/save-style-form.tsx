import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { CheckboxField, Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface Props {
  /** JSON of the look. */
  style: string;
  /** JSON of the code's logo, which the look may bring along; null if it has none. */
  logo?: string | null;
  /** Id of the code whose page is shown again. */
  codeId?: string;
}

/**
 * Saves a look under a name, to reuse it for other codes. Shown on a code's page; posts to the page of saved
 * looks.
 */
export function SaveStyleForm({ style, logo = null, codeId }: Props) {
  const { t } = useTranslation('codes');
  const actionData = usePageActionData<() => Promise<{ lastResult?: LastResult }>>();
  // The page has other forms too: the posted `intent` tells which one the response belongs to.
  const isOwn = actionData?.lastResult?.initialValue?.intent === 'save-style';
  const lastResult = isOwn ? actionData.lastResult : undefined;
  const [form, fields] = useServerValidatedForm<'name' | 'withLogo' | 'isDefault'>({
    id: 'save-style',
    lastResult,
  });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <Form {...form.props} action="/user/styles" className="form">
      <ErrorSummary errors={summary} />
      <input type="hidden" name="intent" value="save-style" />
      <input type="hidden" name="style" value={style} />
      {codeId && <input type="hidden" name="codeId" value={codeId} />}
      {logo && <input type="hidden" name="logo" value={logo} />}
      <Field
        field={{ ...fields.name, required: true }}
        label={t('styles.name')}
        hint={t('styles.nameHint')}
        error={message(fields.name.errors)}
        autoComplete="off"
      />
      {logo && <CheckboxField field={fields.withLogo} label={t('styles.withLogo')} />}
      <CheckboxField field={fields.isDefault} label={t('styles.beDefault')} />
      <Button variant="secondary">{t('styles.save')}</Button>
    </Form>
  );
}
