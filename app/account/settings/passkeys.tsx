import { Link, useFetcher, useLocation } from '@remix-run/react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { Locale } from '#contract/locales';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { Button, buttonClass } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { failureOf } from '~/ui/form-route';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import type { Passkey } from './passkeys.server';

interface ListProps {
  passkeys: Passkey[];
  locale: Locale;
  /** Result of the rename form. */
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
  const [form, fields] = useServerValidatedForm<'name'>({
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
  /** Response to the password: options for the browser's dialog. */
  registration: { options: { challenge: string }; name: string } | null;
  lastResult: LastResult;
  hasSecondFactor: boolean;
}

/**
 * Asks for the password, and for a code if the account has a second factor, then opens the browser's own dialog. Needs scripts, so it renders nothing without
 * them.
 */
export function AddPasskey({ registration, lastResult, hasSecondFactor }: AddProps) {
  const { t } = useTranslation('settings');
  const isHydrated = useHydrated();
  const start = useRef<HTMLFormElement>(null);
  const { hasFailed, failure, isSending, sendAgain } = useBrowserDialog(registration, start);
  const [form, fields] = useServerValidatedForm<'name' | 'currentPassword' | 'code'>({
    id: 'start',
    lastResult,
  });
  const { control, message, summary } = useErrorTexts('account', form, ['name', 'currentPassword', 'code']);
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
      {failure && (
        <>
          <p role="alert" className="warning" hidden={isSending}>
            {t(`common:form.failures.${failure}`)}
          </p>
          <Button type="button" variant="secondary" onClick={sendAgain}>
            {t('common:errors.again')}
          </Button>
        </>
      )}
      <Form {...form.props} formRef={start} className="form">
        <input type="hidden" name="intent" value="start" />
        <Field
          {...control('name')}
          label={t('passkeys.name')}
          hint={t('passkeys.nameHint')}
          optional
          maxLength={60}
        />
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t('passkeys.add')}</Button>
      </Form>
    </section>
  );
}

interface Made {
  registration: AddProps['registration'];
  credential: string;
  /** Location key of the page it was posted from. */
  key: string;
}

/**
 * Opens the browser's dialog once for each set of options and posts the credential it creates. `failure` says
 * why the post got no response; `hasFailed` is true if no credential was created.
 */
function useBrowserDialog(registration: AddProps['registration'], form: RefObject<HTMLFormElement | null>) {
  // Of its own for each credential: a fetcher that submits again aborts what it is sending.
  const { submit, data, state } = useFetcher({ key: `passkey ${registration?.options.challenge}` });
  const { key } = useLocation();
  const opened = useRef<AddProps['registration']>(null);
  const [failed, setFailed] = useState<AddProps['registration']>(null);
  const [made, setMade] = useState<Made | null>(null);
  const isSending = state !== 'idle';

  const send = useCallback(
    ({ registration, credential }: Made) => {
      submit({ intent: 'add', name: registration?.name ?? '', credential }, { method: 'post' });
    },
    [submit],
  );
  useEffect(() => {
    if (!registration || opened.current === registration) return;
    opened.current = registration;
    import('~/account/sign-in/passkey-browser')
      .then(({ createCredential }) =>
        createCredential(registration.options as PublicKeyCredentialCreationOptionsJSON),
      )
      .then(
        (credential) => {
          const first = { registration, credential, key };
          setMade(first);
          send(first);
        },
        () => setFailed(registration),
      );
  }, [registration, key, send]);

  useEffect(() => {
    if (isSending || !made || made.key === key) return;
    form.current?.reset();
    setMade(null);
  }, [isSending, made, key, form]);
  return {
    hasFailed: registration !== null && failed === registration,
    failure: failureOf(data),
    isSending,
    sendAgain: () => made && !isSending && send(made),
  };
}
