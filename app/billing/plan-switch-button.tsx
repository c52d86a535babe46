import { useNavigate } from '@remix-run/react';
import { type MouseEvent, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useBeforePaint } from '~/ui/before-paint';
import { isPlainClick } from '~/ui/plain-click';
import { captureFields } from '~/ui/restored-fields';

interface Props {
  /** Id of the order form. */
  form: string;
  /** Path of the order page of the other plan. */
  to: string;
  children: ReactNode;
}

/**
 * Opens the other plan's order page and keeps what was typed, unvalidated. Without scripts it posts the form;
 * with scripts it restores the fields.
 */
export function PlanSwitchButton({ form, to, children }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const restore = useRef<{ to: string; fields: () => void } | null>(null);

  useBeforePaint(() => {
    if (!restore.current || restore.current.to === to) return;
    restore.current.fields();
    restore.current = null;
  }, [to]);

  function onClick(event: MouseEvent<HTMLButtonElement>) {
    if (!isPlainClick(event.nativeEvent)) return;
    event.preventDefault();
    restore.current = { to, fields: captureFields() };
    navigate(to, { preventScrollReset: true });
  }

  return (
    <>
      {/* Enter in a field activates the form's first submit button, which must not be this one. */}
      <button type="submit" form={form} hidden>
        {t('form.send')}
      </button>{' '}
      <button
        type="submit"
        name="switch"
        value="plan"
        form={form}
        formAction={to}
        formMethod="post"
        formNoValidate
        className="link-button"
        onClick={onClick}
      >
        {children}
      </button>
    </>
  );
}
