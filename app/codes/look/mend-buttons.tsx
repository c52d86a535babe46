import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import type { Mend } from './style-mends';

interface Props {
  mends: Mend[];
  /** Before the buttons; what the changes are good for. */
  lead?: string;
  /**
   * Label of the form's main button, if that comes after them: Enter presses a form's first button, so a
   * hidden copy of the main one is rendered first.
   */
  main?: string;
  /** Id of their form, if they are rendered outside of it. */
  form?: string;
  formAction?: string;
}

/** Buttons that each apply one fix to the look and show the preview again. */
export function MendButtons({ mends, lead, main, form, formAction }: Props) {
  const { t } = useTranslation('design');
  if (mends.length === 0) return null;
  return (
    <p className="mends">
      {main && (
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true">
          {main}
        </button>
      )}{' '}
      <span>{lead ?? t('mends.lead')}</span>
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
