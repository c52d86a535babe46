import { Link } from '@remix-run/react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { CodeField, CurrentPassword } from '~/account/sign-in/credential-fields';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { Sheet } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

type Intent = 'start' | 'confirm' | 'renew' | 'end';

interface FormProps {
  intent: Intent;
  lastResult: LastResult;
  asks: { password?: boolean; code?: ReactNode };
  children: ReactNode;
}

/** A form of the page, with the password, a code or both. */
function ProofForm({ intent, lastResult, asks, children }: FormProps) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<'currentPassword' | 'code'>({ id: intent, lastResult });
  const { control, message, summary } = useErrorTexts('account', form, ['currentPassword', 'code']);
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <input type="hidden" name="intent" value={intent} />
        {asks.password && <CurrentPassword {...control('currentPassword')} />}
        {asks.code && (
          <CodeField
            field={{ ...fields.code, required: true }}
            label={t('twoStep.code')}
            hint={asks.code}
            error={message(fields.code.errors)}
          />
        )}
        {children}
      </Form>
    </>
  );
}

/** Shown while two-step sign-in is off: the password first, then the key for the app. */
export function StartForm({ lastResult }: { lastResult: LastResult }) {
  const { t } = useTranslation('settings');
  return (
    <ProofForm intent="start" lastResult={lastResult} asks={{ password: true }}>
      <Button>{t('twoStep.start')}</Button>
    </ProofForm>
  );
}

interface SetupProps {
  secret: string;
  uri: string;
  /** The URI as a QR code. */
  picture: ReactNode;
  lastResult: LastResult;
}

/** The key for the app, in every format that apps accept, and a field for the code that confirms it. */
export function SetupForm({ secret, uri, picture, lastResult }: SetupProps) {
  const { t } = useTranslation('settings');
  return (
    <ol className="two-step-setup">
      <li className="sheet">
        <h2>{t('twoStep.scan')}</h2>
        <p>{t('twoStep.scanText')}</p>
        {picture}
        <p>
          <a href={uri}>{t('twoStep.open')}</a>
        </p>
        <p>
          {t('twoStep.key')}
          <br />
          <code className="mono secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
      </li>
      <li className="sheet">
        <h2>{t('twoStep.confirm')}</h2>
        <ProofForm intent="confirm" lastResult={lastResult} asks={{ code: t('twoStep.codeHint') }}>
          <Button>{t('twoStep.turnOn')}</Button>
        </ProofForm>
      </li>
    </ol>
  );
}

interface OnProps {
  recoveryCodesLeft: number;
  lastResultOf: (intent: string) => LastResult;
}

/** Shown while two-step sign-in is on: new recovery codes, and turning it off. */
export function OnForms({ recoveryCodesLeft, lastResultOf }: OnProps) {
  const { t } = useTranslation('settings');
  const asks = { password: true, code: t('twoStep.proofHint') };
  return (
    <>
      <Sheet title={t('twoStep.renew.title')}>
        <p>
          {t('twoStep.left', { left: recoveryCodesLeft })}
          <br />
          {t('twoStep.renew.text')}
        </p>
        <ProofForm intent="renew" lastResult={lastResultOf('renew')} asks={asks}>
          <Button variant="secondary">{t('twoStep.renew.submit')}</Button>
        </ProofForm>
      </Sheet>
      <Sheet title={t('twoStep.end.title')}>
        <p>{t('twoStep.end.text')}</p>
        <ProofForm intent="end" lastResult={lastResultOf('end')} asks={asks}>
          <Button variant="danger">{t('twoStep.end.submit')}</Button>
        </ProofForm>
      </Sheet>
    </>
  );
}

interface Props {
  codes: string[];
  appName: string;
  email: string;
}

/** Shown only once. The download is embedded in the page, so it needs neither scripts nor another request. */
export function RecoveryCodes({ codes, appName, email }: Props) {
  const { t } = useTranslation('settings');
  const heading = useRef<HTMLHeadingElement>(null);
  const arrivedLater = useRef(useHydrated());
  useEffect(() => {
    if (arrivedLater.current) heading.current?.focus();
  }, []);
  const title = t('twoStep.codes.title').replaceAll('\u00ad', '');
  const file = [`${appName} · ${email}`, title, '', ...codes, ''].join('\r\n');
  return (
    <section className="sheet" data-once>
      <h2 ref={heading} tabIndex={-1}>
        {t('twoStep.codes.title')}
      </h2>
      <p>{t('twoStep.codes.text')}</p>
      <p className="warning">
        <Icon name="warning" />
        <strong>{t('twoStep.codes.warning')}</strong>
      </p>
      <ol className="recovery-codes mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="actions">
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download={`${appName.toLowerCase()}-recovery-codes.txt`}
          className={buttonClass('secondary')}
        >
          <Icon name="download" />
          {t('twoStep.codes.download')}
        </a>{' '}
        <Link to="/user/settings" className={buttonClass()}>
          {t('twoStep.codes.done')}
        </Link>
      </div>
    </section>
  );
}
