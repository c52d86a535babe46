import { Link } from '@remix-run/react';
import { type ComponentProps, Fragment, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { Locale } from '#contract/locales';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { Button, buttonClass } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Field, SelectField, TextArea } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { RadioGroup } from '~/ui/radio-group';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import type { ListedKey } from './keys.server';

/** All keys with what they may do, and links to change, renew and revoke each. */
export function KeyList({ keys, locale }: { keys: ListedKey[]; locale: Locale }) {
  const { t } = useTranslation('settings');
  const actsOf = ({ client }: ListedKey): [path: string, text: string][] =>
    client
      ? [['revoke', t('keys.grants.end')]]
      : [
          ['edit', t('keys.edit.link')],
          ['renew', t('keys.renew')],
          ['revoke', t('keys.revoke')],
        ];
  return (
    <ul className="session-list">
      {keys.map((key) => (
        <li key={key.id}>
          <KeyFacts apiKey={key} locale={locale} />
          <div className="actions">
            {actsOf(key).map(([path, text]) => (
              <Fragment key={path}>
                <Link
                  to={`/user/settings/keys/${key.id}/${path}`}
                  className={buttonClass('secondary', 'small')}
                >
                  {text}
                  <span className="sr-only"> {key.name}</span>
                </Link>{' '}
              </Fragment>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** What a key is called, what it may do, and until when. */
export function KeyFacts({ apiKey, locale }: { apiKey: ListedKey; locale: Locale }) {
  const { t } = useTranslation('settings');
  const {
    name,
    lastFour,
    permission,
    tag,
    origins,
    createdAt,
    expiresAt,
    lastUsedAt,
    earlier,
    isOver,
    client,
  } = apiKey;
  return (
    <div>
      <strong>{name}</strong>{' '}
      {client ? <ClientFacts {...client} /> : <span className="mono">{`…${lastFour}`}</span>}
      <p>
        {client && <>{t(`keys.grants.${client.resource}`)} · </>}
        {t(`keys.${permission}`)}
        {tag !== null && (
          <>
            {' · '}
            {t('keys.tagged')} <strong>{tag}</strong>
          </>
        )}
        {origins.length > 0 && (
          <>
            <br />
            {t('keys.pages')} <span className="mono web-address">{origins.join(', ')}</span>
          </>
        )}
      </p>
      <p className="hint">
        {t(client ? 'keys.grants.made' : 'keys.made')} <DateTime value={createdAt} locale={locale} />
        <br />
        {lastUsedAt ? (
          <>
            {t('keys.used')} <DateTime value={lastUsedAt} locale={locale} />
          </>
        ) : (
          t('keys.unused')
        )}
        <br />
        {expiresAt ? (
          <>
            {t(isOver ? 'keys.ended' : client ? 'keys.grants.ends' : 'keys.ends')}{' '}
            <DateTime value={expiresAt} locale={locale} />
          </>
        ) : (
          t('keys.endless')
        )}
        {earlier && (
          <>
            <br />
            {t('keys.earlier', { lastFour: earlier.lastFour })}{' '}
            <DateTime value={earlier.expiresAt} locale={locale} />
          </>
        )}
      </p>
    </div>
  );
}

/** How much is known of who has access. */
function ClientFacts({ host, isVerified }: { host: string | null; isVerified: boolean }) {
  const { t } = useTranslation('settings');
  if (host === null) return <span className="hint">{t('keys.grants.device')}</span>;
  return (
    <span className="hint">
      {t(isVerified ? 'keys.grants.verified' : 'keys.grants.answers')} {host}
    </span>
  );
}

const FIELDS = ['name', 'permission', 'tag', 'origins', 'days', 'currentPassword', 'code'] as const;
const ENDS = ['d365', 'd90', 'd30', 'none'] as const;

interface FormProps {
  lastResult: LastResult;
  hasSecondFactor: boolean;
  formKey: string;
}

export function NewKeyForm({ lastResult, hasSecondFactor, formKey }: FormProps) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<(typeof FIELDS)[number]>({
    id: 'new-key',
    lastResult,
    defaultValue: { permission: 'read', days: ENDS[0] },
    constraint: { name: { required: true }, permission: { required: true } },
  });
  const { control, message, summary } = useErrorTexts('account', form, FIELDS);
  return (
    <div className="sheet">
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <FormKey value={formKey} />
        <NameField {...control('name')} />
        <RadioGroup
          {...control('permission')}
          legend={t('keys.permission')}
          options={[
            { value: 'read', label: t('keys.permissions.read'), hint: t('keys.readHint') },
            { value: 'change', label: t('keys.permissions.change'), hint: t('keys.changeHint') },
          ]}
        />
        <Field {...control('tag')} label={t('keys.tag')} hint={t('keys.tagHint')} optional maxLength={60} />
        <OriginsField {...control('origins')} />
        <SelectField
          {...control('days')}
          label={t('keys.end')}
          hint={t('keys.endHint')}
          options={ENDS.map((end) => ({ value: end, label: t(`keys.days.${end}`) }))}
        />
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t('keys.new.title')}</Button>
      </Form>
    </div>
  );
}

const EDIT_FIELDS = ['name', 'origins', 'currentPassword', 'code'] as const;

export function EditKeyForm({
  lastResult,
  apiKey: { name, origins },
  hasSecondFactor,
}: Pick<FormProps, 'lastResult' | 'hasSecondFactor'> & { apiKey: ListedKey }) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<(typeof EDIT_FIELDS)[number]>({
    id: 'edit-key',
    lastResult,
    defaultValue: { name, origins: origins.join('\n') },
    constraint: { name: { required: true } },
  });
  const { control, message, summary } = useErrorTexts('account', form, EDIT_FIELDS);
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <NameField {...control('name')} />
        <OriginsField {...control('origins')} />
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t('keys.edit.submit')}</Button>
      </Form>
    </>
  );
}

type FieldProps = Pick<ComponentProps<typeof Field>, 'field' | 'error'>;

function NameField(props: FieldProps) {
  const { t } = useTranslation('settings');
  return <Field {...props} label={t('keys.name')} hint={t('keys.nameHint')} maxLength={60} />;
}

function OriginsField(props: FieldProps) {
  const { t } = useTranslation('settings');
  return (
    <TextArea
      {...props}
      label={t('keys.origins')}
      hint={
        <>
          {t('keys.originsHint')} <strong>{t('keys.originsWarning')}</strong>
        </>
      }
      optional
      rows={2}
      className="mono"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={4000}
    />
  );
}

const RENEWAL_FIELDS = ['overlap', 'currentPassword', 'code'] as const;
const OVERLAPS = ['day', 'week', 'hour', 'none'] as const;

export function RenewalForm({ lastResult, hasSecondFactor, formKey }: FormProps) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<(typeof RENEWAL_FIELDS)[number]>({
    id: 'renewal',
    lastResult,
    defaultValue: { overlap: OVERLAPS[0] },
    constraint: { overlap: { required: true } },
  });
  const { control, message, summary } = useErrorTexts('account', form, RENEWAL_FIELDS);
  return (
    <>
      <ErrorSummary errors={summary} />
      <Form {...form.props} className="form">
        <FormKey value={formKey} />
        <RadioGroup
          {...control('overlap')}
          legend={t('keys.renewal.overlap')}
          options={OVERLAPS.map((value) => ({ value, label: t(`keys.renewal.overlaps.${value}`) }))}
        />
        <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
        <Button>{t('keys.renewal.submit')}</Button>
      </Form>
    </>
  );
}

/** Shown only once. */
export function NewSecret({ secret }: { secret: string }) {
  const { t } = useTranslation('settings');
  const heading = useRef<HTMLHeadingElement>(null);
  const arrivedLater = useRef(useHydrated());
  useEffect(() => {
    if (arrivedLater.current) heading.current?.focus();
  }, []);
  return (
    <section className="sheet" data-once>
      <h2 ref={heading} tabIndex={-1}>
        {t('keys.secret.title')}
      </h2>
      <p>{t('keys.secret.text')}</p>
      <p className="warning">
        <Icon name="warning" />
        <strong>{t('keys.secret.warning')}</strong>
      </p>
      <CopyField label={t('keys.secret.label')} value={secret} />
      <p>
        {t('keys.secret.use')}
        <br />
        <code className="mono key-header">Authorization: Bearer {secret}</code>
      </p>
      <p>
        <Link to="/user/settings/keys" className={buttonClass()}>
          {t('keys.secret.done')}
        </Link>
      </p>
    </section>
  );
}
