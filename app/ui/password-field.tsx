import { type InputHTMLAttributes, useContext, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { controlProps, FieldFrame, type FieldMeta, type FieldTexts } from './field';
import { FormContext } from './form';
import { Icon } from './icon';

interface Props
  extends FieldTexts,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'name' | 'type' | 'defaultValue' | 'value'> {
  field: FieldMeta;
}

/** Never filled in by the server. The button that reveals the password appears once scripts run. */
export function PasswordField({ field, label, hint, error, optional, ...rest }: Props) {
  const { t } = useTranslation();
  const isHydrated = useHydrated();
  const [isShown, setIsShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  // Cleared with every result, as in a form that the server renders.
  const { resultCount } = useContext(FormContext);
  useEffect(() => {
    if (resultCount > 0 && input.current) input.current.value = '';
  }, [resultCount]);

  // Browsers offer to save a password only from a password field.
  useEffect(() => {
    const form = input.current?.form;
    const hide = () => setIsShown(false);
    form?.addEventListener('submit', hide);
    window.addEventListener('pagehide', hide);
    return () => {
      form?.removeEventListener('submit', hide);
      window.removeEventListener('pagehide', hide);
    };
  }, []);

  return (
    <FieldFrame field={field} label={label} hint={hint} error={error} optional={optional ?? false}>
      <div className="with-suffix">
        <input
          ref={input}
          type={isShown ? 'text' : 'password'}
          autoComplete="current-password"
          autoCapitalize="none"
          spellCheck={false}
          {...controlProps(field, { hint, error })}
          className="input"
          {...rest}
        />
        {isHydrated && (
          <button
            type="button"
            className="reveal"
            aria-controls={field.id}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon name={isShown ? 'eye-off' : 'eye'} />
            <span className="sr-only">{t(isShown ? 'form.hidePassword' : 'form.showPassword')}</span>
          </button>
        )}
      </div>
    </FieldFrame>
  );
}
