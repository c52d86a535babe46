import { useTranslation } from 'react-i18next';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import type { LastResult } from '~/ui/schema-form';

interface Props {
  visibility: 'private' | 'public';
  lastResult: LastResult;
}

/** One button that switches; the sentence says what is and what would be. */
export function VisibilityForm({ visibility, lastResult }: Props) {
  const { t } = useTranslation('codes');
  const [form] = useAnsweredForm<never>({ id: 'visibility', lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('design', form);
  const other = visibility === 'public' ? 'private' : 'public';
  return (
    <section className="sheet">
      <h2>{t('visibility.heading')}</h2>
      <p>{t(`visibility.${visibility}Text`)}</p>
      {visibility === 'private' && <p className="note">{t('visibility.copies')}</p>}
      <ErrorSummary errors={summary} />
      <Form {...form.props}>
        <input type="hidden" name="intent" value="visibility" />
        <Button variant="secondary" name="visibility" value={other}>
          {t(`visibility.make.${other}`)}
        </Button>
      </Form>
    </section>
  );
}
