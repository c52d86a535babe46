import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { getCaptcha } from '~/http/captcha.server';
import { requireVisitor } from '~/http/guards.server';
import { safePath } from '~/http/safe-path';
import { Button } from '~/ui/button';
import { useCaptcha } from '~/ui/captcha';
import { CheckboxField, EmailField } from '~/ui/field';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { FormPage } from '~/ui/page-layouts';
import { PasswordField } from '~/ui/password-field';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { isGoogleOffered } from './google.server';
import { handleLogin, mayRefuseCookies } from './login.server';

export const handle = { page: 'account:login', form: 'login' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireVisitor(args);
  return {
    next: safePath(scope.url.searchParams.get('next'), ''),
    hasGoogle: isGoogleOffered(),
    mayRefuseCookies: mayRefuseCookies(scope),
    captcha: await getCaptcha(scope),
  };
}

export async function action(args: ActionFunctionArgs) {
  return handleLogin(await requireVisitor(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

type LoginFields = Record<'email' | 'password' | 'remember' | 'next', string>;

export default function LoginPage() {
  const { next, hasGoogle, mayRefuseCookies, captcha: check } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('account');
  const [form, fields] = useServerValidatedForm<keyof LoginFields>({
    id: 'login',
    lastResult: actionData?.lastResult,
    defaultValue: { next },
    constraint: { email: { required: true }, password: { required: true } },
  });
  const { control, summary } = useErrorTexts('account', form);
  const robot = useCaptcha(check, 'login');
  return (
    <FormPage title={t('login.heading')} lead={t('login.lead')} errors={summary}>
      <Form {...form.props} prepare={robot.prepare} className="form">
        {mayRefuseCookies && <p className="note">{t('login.cookies')}</p>}
        {next && <input type="hidden" name="next" value={next} />}
        <EmailField {...control('email')} label={t('login.email')} autoComplete="username" />
        <PasswordField {...control('password')} label={t('login.password')} autoComplete="current-password" />
        <CheckboxField field={fields.remember} label={t('login.remember')} hint={t('login.rememberHint')} />
        {robot.fields}
        <div className="actions">
          <Button>{t('login.submit')}</Button>
          {hasGoogle && (
            <Button variant="secondary" name="intent" value="google" formNoValidate>
              {t('login.google')}
            </Button>
          )}
        </div>
      </Form>
      <PasskeyLogin next={next} loginForm="login" />
      <ul className="links">
        <li>
          <Link to="/forgot-password">{t('login.forgot')}</Link>
        </li>
        <li>
          {t('login.noAccount')} <Link to="/pricings">{t('login.register')}</Link>
        </li>
      </ul>
    </FormPage>
  );
}

interface PasskeyLoginProps {
  next: string;
  /** Id of the form with the box to stay signed in. */
  loginForm: string;
}

/** Appears if the browser supports passkeys, once scripts run; its code is loaded when it is pressed. */
function PasskeyLogin({ next, loginForm }: PasskeyLoginProps) {
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
      const entered = new FormData(document.getElementById(loginForm) as HTMLFormElement);
      set('remember', entered.has('remember') ? 'on' : '');
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
