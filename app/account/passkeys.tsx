import { Link, useFetcher } from '@remix-run/react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { Locale } from '~/i18n/locales';
import { type LastResult, useAnsweredForm } from '~/ui/answered-form';
import { Button, buttonClass } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { DateTime } from '~/ui/time';
import { CurrentPassword } from './password-fields';

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

interface ListProps {
  passkeys: Passkey[];
  locale: Locale;
  /** Of the form that renames one. */
  lastResult: LastResult;
}

export function PasskeyList({ passkeys, locale, lastResult }: ListProps) {
  return (
    <ul className="session-list">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <PasskeyRow
            passkey={passkey}
            locale={locale}
            lastResult={lastResult?.initialValue?.id === passkey.id ? lastResult : undefined}
          />
        </li>
      ))}
    </ul>
  );
}

function PasskeyRow({ passkey, locale, lastResult }: Omit<ListProps, 'passkeys'> & { passkey: Passkey }) {
  const { t } = useTranslation('settings');
  const { id, name, createdAt, lastUsedAt } = passkey;
  const [form, fields] = useAnsweredForm<'name'>({
    id: `passkey-${id}`,
    lastResult,
    defaultValue: { name },
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <>
      <div>
        <strong>{name}</strong>
        <p className="hint">
          {t('passkeys.added')} <DateTime value={createdAt} locale={locale} />
          <br />
          {lastUsedAt ? (
            <>
              {t('passkeys.used')} <DateTime value={lastUsedAt} locale={locale} />
            </>
          ) : (
            t('passkeys.unused')
          )}
        </p>
      </div>
      <Link to={`/user/settings/passkeys/${id}`} className={buttonClass('secondary', 'small')}>
        {t('passkeys.remove')}
        <span className="sr-only"> {name}</span>
      </Link>
      <div className="passkey-name">
        <ErrorSummary errors={summary} />
        <Form {...form.props}>
          <input type="hidden" name="intent" value="rename" />
          <input type="hidden" name="id" value={id} />
          <Field
            field={{ ...fields.name, required: true }}
            label={t('passkeys.name')}
            error={message(fields.name.errors)}
            maxLength={60}
          />
          <Button variant="secondary" size="small">
            {t('passkeys.rename')}
            <span className="sr-only"> {name}</span>
          </Button>
        </Form>
      </div>
    </>
  );
}

interface AddProps {
  /** What the password was answered with: options for the browser's dialog. */
  begun: { options: { challenge: string }; name: string } | null;
  lastResult: LastResult;
}

/** The password first, then the browser's own dialog. Needs scripts, so it comes with them. */
export function AddPasskey({ begun, lastResult }: AddProps) {
  const { t } = useTranslation('settings');
  const isHydrated = useHydrated();
  const start = useRef<HTMLFormElement>(null);
  const hasFailed = useBrowserDialog(begun, start);
  const [form, fields] = useAnsweredForm<'name' | 'currentPassword'>({
    id: 'start',
    lastResult,
    defaultValue: {},
  });
  const { message, summary } = useErrorTexts('account', form, ['name', 'currentPassword']);
  if (!isHydrated || !('PublicKeyCredential' in window)) return null;
  return (
    <section className="sheet">
      <h2>{t('passkeys.add')}</h2>
      <ErrorSummary errors={summary} />
      {hasFailed && (
        <p role="alert" className="warning">
          {t('passkeys.cancelled')}
        </p>
      )}
      <Form {...form.props} formRef={start} className="form">
        <input type="hidden" name="intent" value="start" />
        <Field
          field={fields.name}
          label={t('passkeys.name')}
          hint={t('passkeys.nameHint')}
          error={message(fields.name.errors)}
          optional
          maxLength={60}
        />
        <CurrentPassword field={fields.currentPassword} error={message(fields.currentPassword.errors)} />
        <Button>{t('passkeys.add')}</Button>
      </Form>
    </section>
  );
}

/** Opens the browser's dialog once for each set of options, and posts what it made. True when it made nothing. */
function useBrowserDialog(begun: AddProps['begun'], form: RefObject<HTMLFormElement | null>): boolean {
  const { submit } = useFetcher();
  const opened = useRef<AddProps['begun']>(null);
  const [failed, setFailed] = useState<AddProps['begun']>(null);
  useEffect(() => {
    if (!begun || opened.current === begun) return;
    opened.current = begun;
    import('./passkey-browser')
      .then(({ createCredential }) =>
        createCredential(begun.options as PublicKeyCredentialCreationOptionsJSON),
      )
      .then(
        (credential) => {
          submit({ intent: 'add', name: begun.name, credential }, { method: 'post' });
          form.current?.reset();
        },
        () => setFailed(begun),
      );
  }, [begun, form, submit]);
  return begun !== null && failed === begun;
}
