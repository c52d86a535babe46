import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Button } from '~/ui/button';

interface Props {
  next: string;
  /** Id of the form with the box to stay signed in. */
  loginForm: string;
}

/** Appears if the browser supports passkeys, once scripts run; its code is loaded when it is pressed. */
export function PasskeyLogin({ next, loginForm }: Props) {
  const { t } = useTranslation('account');
  const isHydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const [hasFailed, setHasFailed] = useState(false);
  if (!isHydrated)
    return (
      <noscript>
        <p className="hint">{t('login.passkeyNeeds')}</p>
      </noscript>
    );
  if (!('PublicKeyCredential' in window)) return null;

  async function logIn() {
    setHasFailed(false);
    try {
      const { getCredential } = await import('./passkey-browser');
      const response = await fetch('/login/passkey', { method: 'POST', body: new URLSearchParams() });
      const credential = await getCredential((await response.json()).options);
      const typed = new FormData(document.getElementById(loginForm) as HTMLFormElement);
      set('remember', typed.has('remember') ? 'on' : '');
      set('credential', credential);
      form.current?.submit();
    } catch {
      setHasFailed(true);
    }
  }

  function set(name: string, value: string) {
    (form.current?.elements.namedItem(name) as HTMLInputElement).value = value;
  }

  return (
    <form ref={form} method="post" action="/login/passkey">
      <input type="hidden" name="next" value={next} />
      <input type="hidden" name="remember" />
      <input type="hidden" name="credential" />
      <Button type="button" variant="secondary" onClick={logIn}>
        {t('login.passkey')}
      </Button>
      {hasFailed && <p role="alert">{t('login.passkeyFailed')}</p>}
    </form>
  );
}
