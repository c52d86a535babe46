import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '~/i18n/locales';
import { useAnsweredForm } from '~/ui/answered-form';
import { Button, buttonClass } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import type { LastResult } from '~/ui/schema-form';
import { DateTime } from '~/ui/time';

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

interface Props {
  passkeys: Passkey[];
  locale: Locale;
  /** Of the form that renames one. */
  lastResult: LastResult;
}

export function PasskeyList({ passkeys, locale, lastResult }: Props) {
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

function PasskeyRow({ passkey, locale, lastResult }: Omit<Props, 'passkeys'> & { passkey: Passkey }) {
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
