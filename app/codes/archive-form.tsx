import { useTranslation } from 'react-i18next';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import type { LastResult } from '~/ui/schema-form';

/** Puts a code out of the list, or back into it; what is printed notices nothing. */
export function ArchiveForm({ isArchived, lastResult }: { isArchived: boolean; lastResult: LastResult }) {
  const { t } = useTranslation('codes');
  const [form] = useAnsweredForm<never>({ id: 'archive', lastResult, defaultValue: {} });
  const { summary } = useErrorTexts('design', form);
  return (
    <Form {...form.props}>
      <ErrorSummary errors={summary} />
      <input type="hidden" name="intent" value="archive" />
      <p className="hint">{t(isArchived ? 'archive.isArchived' : 'archive.about')}</p>
      <Button variant="secondary" name="archived" value={String(!isArchived)}>
        {t(isArchived ? 'archive.restore' : 'archive.submit')}
      </Button>
    </Form>
  );
}
