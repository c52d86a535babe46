import { useFetcher } from '@remix-run/react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import type { LastResult } from '~/ui/schema-form';
import { CurrentPassword } from './current-password';

interface Props {
  /** What the password was answered with: options for the browser's dialog. */
  begun: { options: { challenge: string }; name: string } | null;
  lastResult: LastResult;
}

/** The password first, then the browser's own dialog. Needs scripts, so it comes with them. */
export function AddPasskey({ begun, lastResult }: Props) {
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
function useBrowserDialog(begun: Props['begun'], form: RefObject<HTMLFormElement | null>): boolean {
  const { submit } = useFetcher();
  const opened = useRef<Props['begun']>(null);
  const [failed, setFailed] = useState<Props['begun']>(null);
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
