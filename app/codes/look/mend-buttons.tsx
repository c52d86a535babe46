import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import type { Mend } from './style-mends';

interface Props {
  mends: Mend[];
  /** Words of the form's main button, where that stands after them: the first of all is the one that Enter presses. */
  main?: string;
  /** Id of the form they belong to where they stand outside of it. */
  form?: string;
  formAction?: string;
}

/** Each changes one thing of a look and shows the preview again; nothing where there is nothing to change. */
export function MendButtons({ mends, main, form, formAction }: Props) {
  const { t } = useTranslation('design');
  if (mends.length === 0) return null;
  return (
    <p className="mends">
      {main && (
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true">
          {main}
        </button>
      )}{' '}
      <span>{t('mends.lead')}</span>
      {mends.map((mend) => (
        <Button
          key={mend}
          variant="secondary"
          size="small"
          name="mend"
          value={mend}
          form={form}
          formAction={formAction}
        >
          {t(`mends.${mend}`)}
        </Button>
      ))}
    </p>
  );
}
