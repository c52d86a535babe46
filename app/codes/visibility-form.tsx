import { Form } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';

/** One button that switches; the sentence says what is and what would be. */
export function VisibilityForm({ visibility }: { visibility: 'private' | 'public' }) {
  const { t } = useTranslation('codes');
  const other = visibility === 'public' ? 'private' : 'public';
  return (
    <section className="sheet">
      <h2>{t('visibility.heading')}</h2>
      <p>{t(`visibility.${visibility}Text`)}</p>
      <Form method="post">
        <input type="hidden" name="intent" value="visibility" />
        <Button variant="secondary" name="visibility" value={other}>
          {t(`visibility.make.${other}`)}
        </Button>
      </Form>
    </section>
  );
}
