import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { LabelFields } from './code-fields';

interface VisibilityProps {
  visibility: 'private' | 'public';
  lastResult: LastResult;
}

/** Toggles the visibility; the text explains the current one, the button names the other. */
export function VisibilityForm({ visibility, lastResult }: VisibilityProps) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'visibility', lastResult, defaultValue: {} });
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

interface LabelProps {
  code: { name: string | null; tags: string[] };
  lastResult: LastResult;
}

/** The code's name and tags. */
export function LabelForm({ code: { name, tags }, lastResult }: LabelProps) {
  const { t } = useTranslation('codes');
  const [form, fields] = useServerValidatedForm<'name' | 'tags'>({
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

/** Hides a code from the list, or restores it; printed codes are not affected. */
export function ArchiveForm({ isArchived, lastResult }: { isArchived: boolean; lastResult: LastResult }) {
  const { t } = useTranslation('codes');
  const [form] = useServerValidatedForm<never>({ id: 'archive', lastResult, defaultValue: {} });
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
