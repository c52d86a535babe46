import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { Icon } from '~/ui/icon';

interface Props {
  id: string;
  /** What was typed. */
  name: string;
  /** A sentence; null when the design could become a code now. */
  reason: string | null;
}

/** A design from before the purchase that could not become a code: why, and how to fix it. */
export function UnfinishedDesign({ id, name, reason }: Props) {
  const { t } = useTranslation('dashboard');
  return (
    <section className="sheet unfinished-design" aria-labelledby="unfinished">
      <h2 id="unfinished">{t('unfinished.heading')}</h2>
      <p>{t('unfinished.lead')}</p>
      {name && (
        <p className="unfinished-design__name">
          <bdi>{name}</bdi>
        </p>
      )}
      {reason && (
        <p className="warning">
          <Icon name="warning" />
          {reason}
        </p>
      )}
      <Form>
        <input type="hidden" name="draft" value={id} />
        <div className="actions">
          <Button name="intent" value="mend">
            {t('unfinished.mend')}
          </Button>
          <Button name="intent" value="discard" variant="quiet">
            {t('unfinished.discard')}
          </Button>
        </div>
      </Form>
    </section>
  );
}
