import { useTranslation } from 'react-i18next';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import type { LastResult } from '~/ui/schema-form';
import { LabelFields } from './label-fields';

interface Props {
  code: { name: string | null; tags: string[] };
  lastResult: LastResult;
}

/** What its owner calls the code, and the words it is found by. */
export function LabelForm({ code: { name, tags }, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const [form, fields] = useAnsweredForm<'name' | 'tags'>({
    id: 'labels',
    lastResult,
    defaultValue: { name: name ?? '', tags: tags.join(', ') },
  });
  const { message, summary } = useErrorTexts('design', form);
  return (
    <section className="sheet" id="name">
      <h2>{t('labels.heading')}</h2>
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="labels" />
        <LabelFields fields={fields} message={message} />
        <Button variant="secondary">{t('labels.submit')}</Button>
      </Form>
    </section>
  );
}
